import { Option } from 'commander';
import { ConfigError } from '../../config.ts';
import { categories, groups } from '../../domain/enums.ts';
import type { Note, NoteFilter } from '../../domain/note.ts';
import type { ExportFormat } from '../export.ts';
import { withExamples } from '../help.ts';
import type { AddCommand, Io } from '../io.ts';
import { openNotes, type Place, withPlace } from '../place.ts';

export interface ExportFlags extends Place {
  readonly format?: ExportFormat;
  readonly category?: Note['category'];
  readonly group?: Note['group'];
  readonly archived?: boolean;
  readonly active?: boolean;
  readonly force?: boolean;
}

export const addExport: AddCommand = (program, io) => {
  const command = program
    .command('export [target]')
    .description('write all notes, archived ones too, to a file, a folder, or - for standard output')
    .addOption(
      new Option('--format <format>', 'by the ending of the name, unless given: .ndjson, .json, a folder').choices([
        'ndjson',
        'json',
        'markdown',
      ]),
    )
    .addOption(new Option('-c, --category <category>', 'only of this category').choices(categories))
    .addOption(new Option('-g, --group <group>', 'only of this group').choices(groups))
    .addOption(new Option('--archived', 'only archived notes').conflicts('active'))
    .addOption(new Option('--active', 'only notes that are not archived'))
    .option('--force', 'replace the file, or in a folder the files of the same notes');
  withExamples(withPlace(command), [
    ['notes export notes.ndjson', 'one note a line, for "notes import"'],
    ['notes export --active vault/', 'a folder of Markdown files'],
    ['notes export - -c prompts | gzip > prompts.ndjson.gz', 'some of them, compressed'],
  ]).action(async (target: string | undefined, flags: ExportFlags) => {
    refuseTerminal(target, io);
    const { exportNotes } = await import('../export-told.ts');
    await using store = await openNotes(io, flags);
    io.done(await exportNotes(store, { target: target ?? '-', filter: filterOf(flags), flags, io }));
  });
};

function refuseTerminal(target: string | undefined, { stdout }: Io): void {
  if (target !== undefined || stdout.isTTY !== true) return;
  throw new ConfigError('Name a file or folder to export to, or - for this terminal');
}

const filterOf = ({ category, group, archived, active }: ExportFlags): NoteFilter => ({
  ...(category && { category }),
  ...(group && { group }),
  ...(archived && { archived: true }),
  ...(active && { archived: false }),
});
