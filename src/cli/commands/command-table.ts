import type { DefineCommand } from '../io.ts';
import { defineAddCommand } from './add-command.ts';
import { defineArchiveCommand, defineUnarchiveCommand } from './archive-command.ts';
import { defineBackupCommand } from './backup-command.ts';
import { defineCompleteCommand } from './completion/complete-command.ts';
import { defineCompletionCommand } from './completion/completion-command.ts';
import { defineWidgetCommand } from './completion/widget-command.ts';
import { defineDoctorCommand } from './doctor/doctor-command.ts';
import { defineEditCommand } from './edit-command.ts';
import { defineExportCommand } from './export/export-command.ts';
import { defineHelpCommand } from './help-command.ts';
import { defineHistoryCommand } from './history-command.ts';
import { defineImportCommand } from './import/import-command.ts';
import { defineLabelsCommand } from './labels-command.ts';
import { defineLastCommand } from './last-command.ts';
import { defineListCommand } from './list/list-command.ts';
import { defineMcpCommand } from './mcp/mcp-command.ts';
import { defineMigrateCommand } from './migrate/migrate-command.ts';
import { defineRestoreCommand } from './restore-command.ts';
import { defineRevertCommand } from './revert-command.ts';
import { defineServeCommand } from './serve-command.ts';
import { defineCopyCommand } from './show/copy-command.ts';
import { defineShowCommand } from './show/show-command.ts';
import { defineSyncCommand } from './sync/sync-command.ts';

/** All commands, by heading and name, in the order of the help. A new command needs its file and a row here. */
export const commandTable: Readonly<Record<string, Readonly<Record<string, DefineCommand>>>> = {
  'Notes:': {
    add: defineAddCommand,
    last: defineLastCommand,
    list: defineListCommand,
    ls: defineListCommand,
    show: defineShowCommand,
    copy: defineCopyCommand,
    edit: defineEditCommand,
    archive: defineArchiveCommand,
    unarchive: defineUnarchiveCommand,
    labels: defineLabelsCommand,
  },
  'History:': { history: defineHistoryCommand, revert: defineRevertCommand },
  'Import and export:': {
    export: defineExportCommand,
    import: defineImportCommand,
    sync: defineSyncCommand,
    backup: defineBackupCommand,
    restore: defineRestoreCommand,
    migrate: defineMigrateCommand,
  },
  'Service:': { serve: defineServeCommand, mcp: defineMcpCommand, doctor: defineDoctorCommand },
  'Shell:': {
    completion: defineCompletionCommand,
    complete: defineCompleteCommand,
    widget: defineWidgetCommand,
    help: defineHelpCommand,
  },
};

/** Commands that describe all others. */
const overviewCommands = ['complete', 'help'];

/**
 * Finds the only command that the program needs for this name, as creating all of them takes longer than most commands
 * run. Returns undefined if all are needed.
 */
export function findCommandDefinition(name: string): DefineCommand | undefined {
  if (overviewCommands.includes(name)) return undefined;
  return Object.values(commandTable).find((additions) => Object.hasOwn(additions, name))?.[name];
}
