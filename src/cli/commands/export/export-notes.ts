import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { ConfigError } from '../../../config/config.ts';
import type { Note, NoteFilter } from '../../../core/note.ts';
import { filterNotes } from '../../../core/search-line.ts';
import type { NoteEngine, PortableStore } from '../../../core/store.ts';
import { formatNoteCount } from '../../../core/text/format-counts.ts';
import { copyNotesWithPins } from '../../../formats/imported-pins.ts';
import { joinNoteBatchesWithOrigins, streamOriginBatches } from '../../../formats/origin.ts';
import type { ExitCode } from '../../exit-code.ts';
import type { FilterFlags, StoreFlags } from '../../flag-types.ts';
import { interceptStopsAsAbortSignal } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { mergeSearchLineWithFlags } from '../../notes/find-notes.ts';
import { openNoteStoreOrEmptyDefault } from '../../notes/open-note-store.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { type Batches, exportToFile, exportToOutput } from './export-to-file.ts';
import { exportToFolder } from './export-to-folder.ts';

export interface ExportFlags extends StoreFlags, Omit<FilterFlags, 'all' | 'color'> {
  readonly format?: ExportFormat;
  readonly active?: boolean;
  readonly force?: boolean;
  /** Whether to include earlier versions. */
  readonly history?: boolean;
}

/** Writes the matching notes to a file, a folder, or for `-` to standard output, and prints their number. */
export async function exportNotesAndPrintCount(target: string, flags: ExportFlags, io: Io): Promise<ExitCode> {
  if (/\.gz$/i.test(target))
    throw new ConfigError(`An export is not compressed: pipe it, as "notes export - | gzip > ${target}"`);
  const format = flags.format ?? (target === '-' ? 'ndjson' : detectExportFormatOrThrow(target));
  const write = createExportFunction(target, format, flags, io);
  const { filter, filters } = mergeSearchLineWithFlags('', { ...flags, all: !flags.archived && !flags.active });
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  const isOnScreen = target === '-' && io.stdout.isTTY === true; // no progress line between the notes
  using line = new ProgressLine(isOnScreen ? { write: () => true } : io.stderr);
  const all = io.stderr.isTTY === true ? await countMatchingNotesIfFast(store, filter) : undefined;
  const signal = target === '-' ? undefined : interceptStopsAsAbortSignal(io); // otherwise Ctrl+C ends it at once
  let notes = 0;
  async function* streamBatchesAndShowProgress(): AsyncGenerator<readonly Note[], void, void> {
    const ids = new Set<number>();
    const { ids: pinnedIds } = await store.readPins();
    for await (const read of joinNoteBatchesWithOrigins(store.scan(filter), streamOriginBatches(store))) {
      signal?.throwIfAborted();
      const batch = copyNotesWithPins(filterNotes(read, filters), pinnedIds);
      yield batch;
      notes += batch.length;
      line.update({ step: 'Exporting', notes, part: all && Math.min(1, notes / all) });
      if (flags.history) for (const { id } of batch) ids.add(id);
    }
    for await (const versions of streamVersionBatchesOfNotes(ids, store)) {
      signal?.throwIfAborted();
      yield versions;
    }
  }
  await write(streamBatchesAndShowProgress());
  line.clear();
  if (target !== '-') io.stderr.write(`Exported ${formatNoteCount(notes)} to ${target}\n`);
  return 0;
}

/**
 * Yields the earlier versions of these notes: those of a database in one pass, since most notes have none and a query
 * for each would take longer than the export itself. A service is asked for each note.
 */
async function* streamVersionBatchesOfNotes(
  ids: ReadonlySet<number>,
  store: PortableStore,
): AsyncGenerator<readonly Note[]> {
  if (ids.size === 0) return;
  if (!isNoteEngine(store)) for (const id of ids) yield* store.history(id);
  else for await (const versions of store.streamAllVersionBatches()) yield versions.filter(({ id }) => ids.has(id));
}

/** Returns the writer for a target. Throws `ConfigError` if the flags do not fit it. */
function createExportFunction(
  target: string,
  format: ExportFormat,
  flags: ExportFlags,
  { stdout }: Io,
): (batches: Batches) => Promise<void> {
  if (target === '-') {
    if (format === 'markdown') throw new ConfigError('Markdown is exported as one file per note. Give a folder');
    return (batches) => exportToOutput(stdout, batches, format);
  }
  const destination = { path: target, force: flags.force === true };
  if (format === 'markdown' && flags.history) throw new ConfigError('--history needs an NDJSON or JSON file');
  if (format === 'markdown') return (batches) => exportToFolder(destination, batches);
  return (batches) => exportToFile(destination, batches, format);
}

/** Returns the approximate number of matching notes; undefined if counting would take as long as exporting. */
async function countMatchingNotesIfFast(store: PortableStore, filter: NoteFilter): Promise<number | undefined> {
  if (!isNoteEngine(store) || Object.keys(filter).length > 0) return undefined;
  const stats = await Promise.try(() => store.readStats()).catch(() => undefined); // only the progress line needs it
  return stats && stats.notes > 0 ? stats.notes : undefined;
}

const isNoteEngine = (store: PortableStore): store is NoteEngine => 'readStats' in store;

const exportFormats = ['ndjson', 'json', 'markdown'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Returns the format implied by a name. Throws `ConfigError` if there is none. */
function detectExportFormatOrThrow(target: string): ExportFormat {
  const ending = extname(target).toLowerCase();
  if (ending === '.ndjson' || ending === '.jsonl') return 'ndjson';
  if (ending === '.json') return 'json';
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() ?? ending === '';
  if (isFolder || /[\\/]$/.test(target)) return 'markdown';
  throw new ConfigError(`${target} does not name a format. Add --format ${exportFormats.join(' or --format ')}`);
}
