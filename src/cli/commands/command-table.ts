import type { RegisterCommand } from '../io.ts';
import { registerAddCommand } from './add-command.ts';
import { registerArchiveCommand, registerUnarchiveCommand } from './archive-command.ts';
import { registerBackupCommand } from './backup-command.ts';
import { registerCompleteCommand } from './completion/complete-command.ts';
import { registerCompletionCommand } from './completion/completion-command.ts';
import { registerWidgetCommand } from './completion/widget-command.ts';
import { registerDoctorCommand } from './doctor/doctor-command.ts';
import { registerEditCommand } from './edit-command.ts';
import { registerExportCommand } from './export/export-command.ts';
import { registerHelpCommand } from './help-command.ts';
import { registerHistoryCommand } from './history-command.ts';
import { registerImportCommand } from './import/import-command.ts';
import { registerLabelsCommand } from './labels-command.ts';
import { registerLastCommand } from './last-command.ts';
import { registerListCommand } from './list/list-command.ts';
import { registerMcpCommand } from './mcp/mcp-command.ts';
import { registerMigrateCommand } from './migrate/migrate-command.ts';
import { registerPinCommand, registerUnpinCommand } from './pin-command.ts';
import { registerRestoreCommand } from './restore-command.ts';
import { registerRevertCommand } from './revert-command.ts';
import { registerServeCommand } from './serve-command.ts';
import { registerCopyCommand } from './show/copy-command.ts';
import { registerShowCommand } from './show/show-command.ts';
import { registerSyncCommand } from './sync/sync-command.ts';

/** All commands, by heading and name, in the order of the help. A new command needs its file and a row here. */
export const commandTable: Readonly<Record<string, Readonly<Record<string, RegisterCommand>>>> = {
  'Notes:': {
    add: registerAddCommand,
    last: registerLastCommand,
    list: registerListCommand,
    ls: registerListCommand,
    show: registerShowCommand,
    copy: registerCopyCommand,
    edit: registerEditCommand,
    archive: registerArchiveCommand,
    unarchive: registerUnarchiveCommand,
    pin: registerPinCommand,
    unpin: registerUnpinCommand,
    labels: registerLabelsCommand,
  },
  'History:': { history: registerHistoryCommand, revert: registerRevertCommand },
  'Import and export:': {
    export: registerExportCommand,
    import: registerImportCommand,
    sync: registerSyncCommand,
    backup: registerBackupCommand,
    restore: registerRestoreCommand,
    migrate: registerMigrateCommand,
  },
  'Service:': { serve: registerServeCommand, mcp: registerMcpCommand, doctor: registerDoctorCommand },
  'Shell:': {
    completion: registerCompletionCommand,
    complete: registerCompleteCommand,
    widget: registerWidgetCommand,
    help: registerHelpCommand,
  },
};

/** Commands that describe all others. */
const overviewCommands = ['complete', 'help'];

/** Whether a command of this name needs all other commands in the program. */
export const isOverviewCommand = (name: string): boolean => overviewCommands.includes(name);

/** Finds the function that adds the command of this name to a program; undefined if there is no such command. */
export function findCommandRegistration(name: string): RegisterCommand | undefined {
  return Object.values(commandTable).find((commands) => Object.hasOwn(commands, name))?.[name];
}
