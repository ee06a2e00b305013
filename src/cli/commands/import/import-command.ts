import type { Command } from 'commander';
import { prependExamplesToHelp } from '../../flags.ts';
import type { RegisterCommand } from '../../io.ts';
import { addImportAndSyncFlags, type ImportFlags } from './source-flags.ts';

export const registerImportCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('import <source...>')
    .summary('import notes from files and folders')
    .description(
      'merge notes from files, folders, archives, or - for standard input: ' +
        'of two versions of a note the newer one stays, and a note whose id is taken gets a new one',
    )
    .option('--format <format>', 'read it as this, instead of detecting the format')
    .option('--dry-run', 'show what would happen, and change nothing');
  prependExamplesToHelp(addImportAndSyncFlags(command), [
    ['notes import notes.ndjson', 'what "notes export" wrote; .gz too'],
    ['notes import --dry-run conversations.json', 'preview the result'],
    ['notes import vault/ todo.txt', 'a folder of Markdown files, and a text'],
    ['notes import snippets/ --category css', 'a folder of files of code'],
  ]).action(
    run(async (sources: string[], flags: ImportFlags) =>
      (await import('./import-sources.ts')).importSourcesAndPrintReport(sources, flags, io),
    ),
  );
};

/**
 * Lets `--format` of the command import allow the names of all formats, if the program has that command. Loading the
 * formats takes longer than most commands run, so that this is for command lines that name it.
 */
export async function loadFormatsAndAddChoicesToImport(program: Command): Promise<void> {
  const command = program.commands.find((one) => one.name() === 'import');
  const option = command?.options.find(({ long }) => long === '--format');
  if (option === undefined) return;
  const { formats } = await import('../../../formats/formats.ts');
  option.choices(formats.map(({ name }) => name));
}
