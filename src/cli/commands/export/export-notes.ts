import { lstatSync, statSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { ConfigError } from '../../../config.ts';
import { categories } from '../../../core/enums.ts';
import { NoteError } from '../../../core/error.ts';
import { jsonListOf } from '../../../core/long-json.ts';
import type { Note, NoteFilter } from '../../../core/note.ts';
import { filtered } from '../../../core/query.ts';
import type { NoteEngine, PortableStore } from '../../../core/store.ts';
import { counted } from '../../../core/tools/text.ts';
import { encodeNdjson } from '../../../formats/json-formats.ts';
import { toMarkdownFile } from '../../../formats/markdown-format.ts';
import { joinOrigins, readAllOrigins } from '../../../formats/origin.ts';
import { belongsToAny, realPathOf } from '../../../store/sqlite/database-files.ts';
import { syncFolder } from '../../../store/sync.ts';
import type { ExitCode } from '../../exit-code.ts';
import { explainFileErrors } from '../../exit-code.ts';
import { getTemporaryPathBeside, replaceFile } from '../../files.ts';
import type { FilterFlags, StoreFlags } from '../../flags.ts';
import { interceptStopSignals } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { type Output, writeWithBackpressure } from '../../io.ts';
import { openNotes } from '../../notes/open-notes.ts';
import { createSelection } from '../../notes/select-notes.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';

export interface ExportFlags extends StoreFlags, Omit<FilterFlags, 'all' | 'color'> {
  readonly format?: ExportFormat;
  readonly active?: boolean;
  readonly force?: boolean;
  /** Whether to include earlier versions. */
  readonly history?: boolean;
}

/** Writes the matching notes to a file, a folder, or for `-` to standard output, and prints their number. */
export async function exportNotes(target: string, flags: ExportFlags, io: Io): Promise<ExitCode> {
  if (/\.gz$/i.test(target))
    throw new ConfigError(`An export is not compressed: pipe it, as "notes export - | gzip > ${target}"`);
  const format = flags.format ?? (target === '-' ? 'ndjson' : detectExportFormat(target));
  const write = createWriter(target, format, flags, io);
  const { filter, filters } = createSelection('', { ...flags, all: !flags.archived && !flags.active });
  await using store = await openNotes(io, flags);
  const isOnScreen = target === '-' && io.stdout.isTTY === true; // no progress line between the notes
  using line = new ProgressLine(isOnScreen ? { write: () => true } : io.stderr);
  const all = io.stderr.isTTY === true ? await countMatchingNotes(store, filter) : undefined;
  const signal = target === '-' ? undefined : interceptStopSignals(io); // otherwise Ctrl+C ends it at once
  let notes = 0;
  async function* readBatches(): AsyncGenerator<readonly Note[], void, void> {
    const found = store.scan(filter);
    for await (const read of joinOrigins(found, readAllOrigins(store))) {
      signal?.throwIfAborted();
      const batch = filtered(read, filters);
      yield batch;
      if (flags.history) for (const { id } of batch) yield* store.history(id);
      notes += batch.length;
      line.show({ step: 'Exporting', notes, part: all && Math.min(1, notes / all) });
    }
  }
  await write(readBatches());
  line.clear();
  if (target !== '-') io.stderr.write(`Exported ${counted(notes)} to ${target}\n`);
  return 0;
}

/** Returns the writer for a target. Throws `ConfigError` if the flags do not fit it. */
function createWriter(
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
async function countMatchingNotes(store: PortableStore, filter: NoteFilter): Promise<number | undefined> {
  if (!isEngine(store) || Object.keys(filter).length > 0) return undefined;
  const stats = await Promise.try(() => store.stats()).catch(() => undefined); // only the progress line needs it
  return stats && stats.notes > 0 ? stats.notes : undefined;
}

const isEngine = (store: PortableStore): store is NoteEngine => 'stats' in store;

const exportFormats = ['ndjson', 'json', 'markdown'] as const;
export type ExportFormat = (typeof exportFormats)[number];

type Batches = AsyncIterable<readonly Note[]>;

/** Returns the format implied by a name. Throws `ConfigError` if there is none. */
function detectExportFormat(target: string): ExportFormat {
  const ending = extname(target).toLowerCase();
  if (ending === '.ndjson' || ending === '.jsonl') return 'ndjson';
  if (ending === '.json') return 'json';
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() ?? ending === '';
  if (isFolder || /[\\/]$/.test(target)) return 'markdown';
  throw new ConfigError(`${target} does not name a format. Add --format ${exportFormats.join(' or --format ')}`);
}

const encodersByFormat = { ndjson: encodeNdjson, json: jsonListOf } as const;
type TextFormat = keyof typeof encodersByFormat;

/** Writes notes to an output, respecting backpressure. */
async function exportToOutput(output: Output, batches: Batches, format: TextFormat): Promise<void> {
  for await (const text of encodersByFormat[format](batches)) await writeWithBackpressure(output, text);
}

interface Target {
  readonly path: string;
  readonly force: boolean;
}

/** Writes notes to a file atomically. Throws `unavailable`. */
export async function exportToFile(target: Target, batches: Batches, format: TextFormat): Promise<void> {
  await assertNoDatabase(target);
  assertFileCanBeWritten(target);
  const path = realPathOf(target.path); // write to the target of a link, do not replace the link
  await explainFileErrors('write', target.path, async () => {
    await replaceFile(path, encodersByFormat[format](batches), target.force ? rename : renameUnlessPresent);
    syncFolder(dirname(path));
  });
}

/** Writes notes to a folder, one file each; a new folder appears atomically. Throws `unavailable`. */
export async function exportToFolder({ path, force }: Target, batches: Batches): Promise<void> {
  await assertNoDatabase({ path });
  const present = await explainFileErrors('write', path, async () => lstatIfPresent(path) && readdir(path));
  if (present && present.length > 0) {
    if (!force) throw createExportError(`${path} is a folder that is not empty`);
    return explainFileErrors('write', path, async () => {
      assertNoLinks(path);
      await writeNoteFiles(path, batches);
    });
  }
  await explainFileErrors('write', path, async () => {
    const temporary = getTemporaryPathBeside(resolve(path));
    try {
      await writeNoteFiles(temporary, batches);
      if (present) await rmdir(path); // not every system can rename over an empty folder
      await rename(temporary, path);
      syncFolder(dirname(resolve(path)));
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}

/** Applies even with --force, which could otherwise destroy the notes. */
async function assertNoDatabase({ path }: Pick<Target, 'path'>): Promise<void> {
  const isPart = await explainFileErrors('write', path, async () => belongsToAny(path));
  if (isPart) throw createExportError(`${path} is a database, or belongs to one`, 'Name another file');
}

function assertFileCanBeWritten({ path, force }: Target): void {
  const stats = lstatIfPresent(realPathOf(path));
  if (stats?.isDirectory()) throw createExportError(`${path} is a folder`);
  if (stats && !stats.isFile())
    throw createExportError(`${path} is not a regular file`, 'Name another one, or - for standard output');
  if (stats && !force) throw createExportError(`${path} exists already`);
}

/** A link would lead the files of a category to another place. */
function assertNoLinks(folder: string): void {
  for (const home of categories.map((category) => join(folder, category))) {
    const isFolder = lstatIfPresent(home)?.isDirectory() ?? true;
    if (!isFolder)
      throw createExportError(`${home} is a link or a file, not a folder`, 'Move it away, or name another folder');
  }
}

const createExportError = (why: string, remedy = 'Name another one, or write over it with --force') =>
  new NoteError('unavailable', `Nothing was exported: ${why}. ${remedy}`);

const lstatIfPresent = (path: string) => lstatSync(path, { throwIfNoEntry: false });

/** Never replaces a file created meanwhile, if the file system supports hard links. */
async function renameUnlessPresent(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch {
    if (lstatIfPresent(path)) throw createExportError(`${path} exists already`);
    await rename(temporary, path);
  }
}

const maxConcurrentWrites = 16;

/** Replaces the files of the same notes, even if their names have changed, and no others. */
async function writeNoteFiles(folder: string, batches: Batches): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const present = await findNoteFilesById(folder);
  const written = new Set([folder]);
  for await (const notes of batches) {
    for (let from = 0; from < notes.length; from += maxConcurrentWrites) {
      await Promise.all(notes.slice(from, from + maxConcurrentWrites).map(write));
    }
  }
  for (const path of written) syncFolder(path);

  async function write(note: Note): Promise<void> {
    const file = toMarkdownFile(note);
    const home = join(folder, note.category);
    if (!written.has(home)) await mkdir(home, { recursive: true, mode: 0o700 });
    written.add(home);
    await replaceFile(join(folder, file.path), [file.text]);
    for (const old of present.get(note.id) ?? [])
      if (old !== file.path) await removeOldFile(join(folder, old), note.id);
  }
}

/** Returns the paths of files named after notes, by id. */
async function findNoteFilesById(folder: string): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    for (const name of await readdir(join(folder, entry.name))) {
      const id = Number(/^(\d+)(?:-.*)?\.md$/.exec(name)?.[1]);
      if (id > 0) found.set(id, [...(found.get(id) ?? []), `${entry.name}/${name}`]);
    }
  }
  return found;
}

/** Removes a file only if its text has the id too, as its name may be a coincidence. */
async function removeOldFile(path: string, id: number): Promise<void> {
  const text = await readFile(path, 'utf8');
  if (text.startsWith(`---\nid: ${id}\n`)) await unlink(path);
}
