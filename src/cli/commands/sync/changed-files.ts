import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import { codeOf } from '../../../core/tools/thrown.ts';
import { formatRejection } from '../../../formats/recognition.ts';
import { recognizeSource } from '../../../formats/recognize-source.ts';
import { createBadRecord, type ReadRecord } from '../../../formats/record.ts';
import { explainFileErrors } from '../../error-text.ts';
import type { Io } from '../../io.ts';
import { chooseFormat, readRecords } from '../import/open-records.ts';
import { openSource } from '../import/open-source.ts';
import type { SecretGuard } from '../import/secret-guard.ts';
import type { ImportFlags } from '../import/source-flags.ts';
import { formatFileState, type SyncState } from './sync-state.ts';

interface ChangedFilesOptions {
  readonly state: SyncState;
  /** What the store last imported from sources, by keys of origins. */
  readonly stored: ReadonlyMap<string, string>;
  readonly secrets: SecretGuard;
  readonly stdin: Io['stdin'];
  readonly category: ImportFlags['category'];
  readonly signal: AbortSignal;
}

/** Reads files that have changed since they were imported, and records what was imported from them. */
export class ChangedFiles {
  files = 0;
  /** Changed files that hold something. */
  changed = 0;
  /** Why sources were not read. */
  readonly failures: string[] = [];
  readonly #reading: ChangedFilesOptions;
  readonly #recordings: ((stored: ChangedFilesOptions['stored']) => void)[] = [];

  constructor(reading: ChangedFilesOptions) {
    this.#reading = reading;
  }

  /** Call once the records are stored, with what the store has imported since. */
  recordImports(stored: ChangedFilesOptions['stored']): void {
    for (const keep of this.#recordings) keep(stored);
  }

  async *readChangedRecords(sources: readonly string[]): AsyncGenerator<ReadRecord, void, void> {
    for (const source of sources) {
      try {
        yield* this.#readChangedSource(source);
      } catch (error) {
        if (this.#reading.signal.aborted || !(error instanceof NoteError)) throw error;
        this.failures.push(error.message);
      }
    }
  }

  async *#readChangedSource(path: string): AsyncGenerator<ReadRecord, void, void> {
    const { stdin, signal, state, category } = this.#reading;
    const root = await explainFileErrors('read', path, () => realpath(path));
    const stats = await explainFileErrors('read', path, () => stat(root));
    if (!stats.isDirectory()) {
      return yield* this.#readUnlessCurrent(root, [root], async () => {
        const file = await openSource(path, stdin, signal, category);
        const recognition = recognizeSource(file.source, file.head);
        if (recognition.kind !== 'format') return [createBadRecord(path, formatRejection(recognition))];
        const { format, source } = chooseFormat(file);
        return readRecords({ ...file, source }, format, signal);
      });
    }
    const opened = await openSource(path, stdin, signal, category);
    const { source, unreadable = [] } = opened;
    const all = source.files.map((below) => join(root, below));
    const folders = unreadable.map(
      (folder) => ({ kind: 'bad', ...folder, path: join(root, folder.location) }) as const,
    );
    for (const folder of folders) yield* this.#readUnlessCurrent(folder.path, [folder.path], async () => [folder]);
    if (all.length === 0) return;
    state.forgetOtherFiles(root, new Set([...all, ...folders.map((folder) => folder.path), join(root, '/')]));
    const { format, source: recognized } = chooseFormat(opened);
    const read = (files: readonly string[]) =>
      readRecords(
        { ...opened, links: [], unreadable: [], source: { ...recognized, files, siblings: recognized.files } },
        format,
        signal,
      );
    if (!format.readsEachFile)
      return yield* this.#readUnlessCurrent(join(root, '/'), all, async () => read(recognized.files));
    for (const [at, below] of recognized.files.entries()) {
      const file = all[at] ?? '';
      yield* this.#readUnlessCurrent(file, [file], async () => read([below]));
    }
  }

  async *#readUnlessCurrent(
    path: string,
    files: readonly string[],
    read: () => Promise<AsyncIterable<ReadRecord> | Iterable<ReadRecord>>,
  ): AsyncGenerator<ReadRecord, void, void> {
    const { state, stored, secrets } = this.#reading;
    this.files += files.length;
    let stamp: string;
    try {
      const stamps = await Promise.all(files.map(readFileStamp));
      const state = stamps.length === 1 ? stamps[0] : Bun.hash.xxHash3(stamps.join());
      stamp = `v${stampVersion} ${state}`;
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      if (codeOf(error.cause) === 'ENOENT') return; // removed since the folder was listed
      const problem = createBadRecord(path, error.message);
      [stamp, read] = [error.message, async () => [problem]];
    }
    if (state.isCurrent(path, stamp, stored)) return;
    const badStamp = `bad ${stamp}`;
    const isReported = state.isCurrent(path, badStamp, stored);
    const keys = new Set<string>();
    const flagged: ReadRecord[] = [];
    let [hasBad, hasNote, isCounted] = [false, false, false];
    for await (const record of await read()) {
      if (record.kind === 'bad') hasBad = true;
      if (record.kind === 'note') hasNote = true;
      if (record.kind === 'note' && record.origin !== undefined) keys.add(record.origin);
      if (isReported && record.kind !== 'note') continue;
      if (!isCounted) this.changed += files.length;
      isCounted = true;
      yield record;
      if (secrets.isWithheld(record)) flagged.push(record);
    }
    this.#recordings.push((now) => {
      if (flagged.some((record) => secrets.isWithheld(record))) return; // withheld notes are reported each time
      const isBad = hasBad && !hasNote; // it may be unreadable only temporarily, and is read again
      const origins = Array.from(keys.intersection(now), (key) => [key, now.get(key) ?? '']);
      state.set(path, { stamp: isBad ? badStamp : stamp, origins: Object.fromEntries(origins) });
    });
  }
}

/**
 * Raise it when files that have not changed would be read as other notes than before: each is read once more.
 * 2: Markdown files are titled by their names.
 */
const stampVersion = 2;

const readFileStamp = async (file: string) => formatFileState(await explainFileErrors('read', file, () => stat(file)));
