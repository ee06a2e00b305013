import { Option } from 'commander';
import { ConfigError } from '../../../config/config.ts';
import { addCategoryAndGroupFilterFlags, addStoreFlags, prependExamplesToHelp } from '../../flags.ts';
import type { RegisterCommand } from '../../io.ts';
import type { ExportFlags, ExportFormat } from './export-notes.ts';

/** These are written twice, because a command line that names no export should not load the formats. */
const exportFormatNames = ['ndjson', 'json', 'markdown'] as const satisfies readonly ExportFormat[];

export const registerExportCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('export [target]')
    .summary('write notes to a file or a folder')
    .description('write all notes, archived ones too, to a file, a folder, or - for standard output')
    .addOption(
      new Option('--format <format>', 'default: by the ending of the name: .ndjson, .json, a folder').choices(
        exportFormatNames,
      ),
    );
  addCategoryAndGroupFilterFlags(command, io)
    .addOption(new Option('--archived', 'only archived notes').conflicts('active'))
    .addOption(new Option('--active', 'only notes that are not archived'))
    .option('--history', 'also write the earlier versions of each note; "notes import" reads them')
    .option('--force', 'replace the file, or the files of the same notes in a folder');
  prependExamplesToHelp(addStoreFlags(command), [
    ['notes export notes.ndjson', 'one note a line, for "notes import"'],
    ['notes export --active vault/', 'a folder of Markdown files'],
    ['notes export - -c prompts | gzip > prompts.ndjson.gz', 'some of them, compressed'],
  ]).action(
    run(async (target: string | undefined, flags: ExportFlags) => {
      if (target === undefined && io.stdout.isTTY === true)
        throw new ConfigError('Name a file or folder to export to, or - for this terminal');
      const { exportNotesAndPrintCount } = await import('./export-notes.ts');
      return await exportNotesAndPrintCount(target ?? '-', flags, io);
    }),
  );
};
