import { Option } from 'commander';
import { addExamples } from '../../flags.ts';
import type { DefineCommand } from '../../io.ts';
import { addSourceFlags, type ImportFlags } from './source-flags.ts';

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
