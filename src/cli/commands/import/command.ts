import { Option } from 'commander';
import { withExamples } from '../../flags.ts';
import type { AddCommand } from '../../io.ts';
import { type ImportFlags, withSourceFlags } from './options.ts';

/** A copy, because the formats are loaded lazily. */
const formatNames =
  'ndjson json markdown code chatgpt claude editor-chats vscode-snippets raycast masscode memos'.split(' ');

export const addImport: AddCommand = (program, io, run) => {
  const command = program
    .command('import <source>')
    .summary('import notes from a file or a folder')
    .description(
      'merge notes from a file, a folder, or - for standard input: ' +
        'of two versions of a note the newer one stays, and a note whose id is taken gets a new one',
    )
    .addOption(new Option('--format <format>', 'read it as this, instead of detecting the format').choices(formatNames))
    .option('--dry-run', 'show what would happen, and change nothing');
  withExamples(withSourceFlags(command), [
    ['notes import notes.ndjson', 'what "notes export" wrote; .gz too'],
    ['notes import --dry-run conversations.json', 'preview the result'],
    ['notes import vault/', 'a folder of Markdown files'],
    ['notes import snippets/ --category css', 'a folder of files of code'],
  ]).action(
    run(async (source: string, flags: ImportFlags) => (await import('./run.ts')).importFrom(source, flags, io)),
  );
};
