import { Option } from 'commander';
import { ConfigError } from '../../../config.ts';
import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { withKind } from '../../notes/filter.ts';
import { withStoreOptions } from '../../notes/store-options.ts';
import { type ExportFlags, exportFormats } from './options.ts';

export const addExport: AddCommand = (program, io, run) => {
  const command = program
    .command('export [target]')
    .summary('write notes to a file or a folder')
    .description('write all notes, archived ones too, to a file, a folder, or - for standard output')
    .addOption(
      new Option('--format <format>', 'default: by the ending of the name: .ndjson, .json, a folder').choices(
        exportFormats,
      ),
    );
  withKind(command)
    .addOption(new Option('--archived', 'only archived notes').conflicts('active'))
    .addOption(new Option('--active', 'only notes that are not archived'))
    .option('--history', 'also write the earlier versions of each note; "notes import" reads them')
    .option('--force', 'replace the file, or the files of the same notes in a folder');
  withExamples(withStoreOptions(command), [
    ['notes export notes.ndjson', 'one note a line, for "notes import"'],
    ['notes export --active vault/', 'a folder of Markdown files'],
    ['notes export - -c prompts | gzip > prompts.ndjson.gz', 'some of them, compressed'],
  ]).action(
    run(async (target: string | undefined, flags: ExportFlags) => {
      if (target === undefined && io.stdout.isTTY === true)
        throw new ConfigError('Name a file or folder to export to, or - for this terminal');
      const { exportNotes } = await import('./run.ts');
      return await exportNotes(target ?? '-', flags, io);
    }),
  );
};
