import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import { codeOf } from '../../../core/tools/thrown.ts';
import { bad, type ReadRecord } from '../../../formats/record.ts';
import { attempt } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import type { ImportFlags } from '../import/command.ts';
import type { SecretGuard } from '../import/secrets.ts';
import { formatFor, openSource, recordsIn } from '../import/source.ts';
import { fileStateOf, type SyncState } from './state.ts';

interface Reading {
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
  readonly #reading: Reading;
  readonly #taken: ((stored: Reading['stored']) => void)[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Call once the records are stored, with what the store has imported since. */
  keep(stored: Reading['stored']): void {
    for (const keep of this.#taken) keep(stored);
  }

  async *records(sources: readonly string[]): AsyncGenerator<ReadRecord, void, void> {
    for (const source of sources) {
      try {
        yield* this.#recordsIn(source);
      } catch (error) {
        if (this.#reading.signal.aborted || !(error instanceof NoteError)) throw error;
        this.failures.push(error.message);
      }
    }
  }

  async *#recordsIn(path: string): AsyncGenerator<ReadRecord, void, void> {
    const { stdin, signal, state, category } = this.#reading;
    const root = await attempt('read', path, () => realpath(path));
    const stats = await attempt('read', path, () => stat(root));
    if (!stats.isDirectory()) {
      return yield* this.#unlessCurrent(root, [root], async () => {
        const file = await openSource(path, stdin, signal, category);
        return recordsIn(file, formatFor(file), signal);
      });
    }
    const opened = await openSource(path, stdin, signal, category);
    const { source, unreadable = [] } = opened;
    const all = source.files.map((below) => join(root, below));
    const folders = unreadable.map(
      (folder) => ({ kind: 'bad', ...folder, path: join(root, folder.location) }) as const,
    );
    for (const folder of folders) yield* this.#unlessCurrent(folder.path, [folder.path], async () => [folder]);
    if (all.length === 0) return;
    state.keepOnly(root, new Set([...all, ...folders.map((folder) => folder.path), join(root, '/')]));
    const format = formatFor(opened);
    const read = (files: readonly string[]) =>
      recordsIn({ ...opened, links: [], unreadable: [], source: { ...source, files } }, format, signal);
    if (!format.isByFile) return yield* this.#unlessCurrent(join(root, '/'), all, async () => read(source.files));
    for (const below of source.files) {
      yield* this.#unlessCurrent(join(root, below), [join(root, below)], async () => read([below]));
    }
  }

  async *#unlessCurrent(
    path: string,
    files: readonly string[],
    read: () => Promise<AsyncIterable<ReadRecord> | Iterable<ReadRecord>>,
  ): AsyncGenerator<ReadRecord, void, void> {
    const { state, stored, secrets } = this.#reading;
    this.files += files.length;
    let stamp: string;
    try {
      const stamps = await Promise.all(files.map(stampOf));
      stamp = stamps.length === 1 ? (stamps[0] ?? '') : `${Bun.hash.xxHash3(stamps.join())}`;
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      if (codeOf(error.cause) === 'ENOENT') return; // removed since the folder was listed
      const problem = bad(path, error.message);
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
      if (secrets.withholds(record)) flagged.push(record);
    }
    this.#taken.push((now) => {
      if (flagged.some((record) => secrets.withholds(record))) return; // withheld notes are reported each time
      const isBad = hasBad && !hasNote; // it may be unreadable only temporarily, and is read again
      const origins = Array.from(keys.intersection(now), (key) => [key, now.get(key) ?? '']);
      state.set(path, { stamp: isBad ? badStamp : stamp, origins: Object.fromEntries(origins) });
    });
  }
}

const stampOf = async (file: string) => fileStateOf(await attempt('read', file, () => stat(file)));
