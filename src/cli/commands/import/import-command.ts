import { type Command, InvalidArgumentError, Option } from 'commander';
import { categories } from '../../../core/enums.ts';
import type { NoteDraft } from '../../../core/note.ts';
import { addExamples, addStoreFlags, type NoteFlags, parsePositiveInteger } from '../../flags.ts';
import type { DefineCommand } from '../../io.ts';

/** Flags shared by `import` and `sync`. */
interface SourceFlags extends NoteFlags {
  readonly category?: NoteDraft['category'];
  readonly allowSecrets?: boolean;
  /** Hashes of suspected secrets. */
  readonly ignore?: readonly string[];
  readonly verbose?: boolean;
}

export interface ImportFlags extends SourceFlags {
  readonly format?: string;
  readonly dryRun?: boolean;
}

export interface SyncFlags extends SourceFlags {
  readonly watch?: boolean;
  /** In seconds. */
  readonly every: number;
}

/** A copy, because the formats are loaded lazily. */
const formatNames = (
  'ndjson json markdown code chatgpt claude editor-chats vscode-snippets raycast espanso pet navi bear joplin notion ' +
  'masscode memos simplenote google-keep gemini cursor'
).split(' ');

export const defineImportCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('import <source...>')
    .summary('import notes from files and folders')
    .description(
      'merge notes from files, folders, archives, or - for standard input: ' +
        'of two versions of a note the newer one stays, and a note whose id is taken gets a new one',
    )
    .addOption(new Option('--format <format>', 'read it as this, instead of detecting the format').choices(formatNames))
    .option('--dry-run', 'show what would happen, and change nothing');
  addExamples(addSourceFlags(command), [
    ['notes import notes.ndjson', 'what "notes export" wrote; .gz too'],
    ['notes import --dry-run conversations.json', 'preview the result'],
    ['notes import vault/ todo.txt', 'a folder of Markdown files, and a text'],
    ['notes import snippets/ --category css', 'a folder of files of code'],
  ]).action(
    run(async (sources: string[], flags: ImportFlags) =>
      (await import('./import-sources.ts')).importSources(sources, flags, io),
    ),
  );
};

export const defineSyncCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('sync <source...>')
    .summary('import what is new in files and folders')
    .description(
      'import what has changed in files and folders since the last time: sessions that have grown, ' +
        'files that were edited. Notes changed here stay as they are, and a missing source deletes nothing',
    )
    .option('--watch', 'keep syncing until stopped')
    .option('--every <seconds>', 'with --watch, the least time between syncs', parsePositiveInteger, 60);
  addExamples(addSourceFlags(command), [
    ['notes sync ~/.claude/projects ~/.codex/sessions', 'sessions of Claude Code and Codex'],
    ['notes sync --watch ~/vault', 'a folder of Markdown files, until Ctrl+C'],
  ]).action(
    run(async (sources: string[], flags: SyncFlags) =>
      (await import('../sync/sync-sources.ts')).syncSources(sources, flags, io),
    ),
  );
};

const addSourceFlags = (command: Command): Command =>
  addStoreFlags(
    command
      .addOption(
        new Option('-c, --category <category>', 'for files of code and Markdown that name none').choices(categories),
      )
      .option('--allow-secrets', 'also import notes that seem to hold keys or passwords')
      .option(
        '--ignore <hash>',
        'take what is shown with this hash for no secret, now and later; may be repeated',
        parseIgnoredHash,
      )
      .option('--json', 'print the result as JSON')
      .option('--verbose', 'name each bad note, and everything left out'),
  );

function parseIgnoredHash(text: string, others: readonly string[] = []): readonly string[] {
  if (!/^[\da-f]{12}$/.test(text)) throw new InvalidArgumentError('It must be 12 digits or letters from a to f.');
  return [...others, text];
}
