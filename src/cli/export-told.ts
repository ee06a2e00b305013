import { ConfigError } from '../config.ts';
import type { Note, NoteFilter } from '../domain/note.ts';
import type { PortableStore } from '../domain/store.ts';
import type { ExportFlags } from './commands/export.ts';
import type { ExitCode } from './exit-code.ts';
import { exportTo, exportToFile, exportToFolder, formatByName } from './export.ts';
import { interruptionOf } from './interruption.ts';
import type { Io } from './io.ts';
import { counted, ProgressLine } from './terminal/progress.ts';

interface Export {
  /** A file or a folder; `-` is standard output. */
  readonly target: string;
  readonly filter: NoteFilter;
  readonly flags: ExportFlags;
  readonly io: Io;
}

/** Writes the notes that match, and tells how many they were. */
export async function exportNotes(store: PortableStore, { target, filter, flags, io }: Export): Promise<ExitCode> {
  const format = flags.format ?? (target === '-' ? 'ndjson' : formatByName(target));
  if (target === '-') {
    if (format === 'markdown') throw new ConfigError('Markdown is a file for each note. Name a folder');
    await exportTo(io.stdout, store.scan(filter), format);
    return 0;
  }
  using line = new ProgressLine(io.stderr);
  const signal = interruptionOf(io);
  let notes = 0;
  async function* watched(): AsyncGenerator<readonly Note[], void, void> {
    for await (const batch of store.scan(filter)) {
      signal.throwIfAborted();
      yield batch;
      notes += batch.length;
      line.show({ step: 'Exporting', notes, part: undefined });
    }
  }
  const place = { path: target, force: flags.force === true };
  await (format === 'markdown' ? exportToFolder(place, watched()) : exportToFile(place, watched(), format));
  line.clear();
  io.stderr.write(`Exported ${counted(notes)} to ${target}\n`);
  return 0;
}
