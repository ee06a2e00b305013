import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NoteError } from '../../../domain/error.ts';
import { takenOf } from '../../../formats/origin.ts';
import { bad, type ReadRecord } from '../../../formats/record.ts';
import { attempt } from '../../file-errors.ts';
import type { Io } from '../../io.ts';
import type { ImportFlags } from '../import/options.ts';
import { inCategory, recognized, recordsIn } from '../import/run.ts';
import type { SecretGuard } from '../import/secrets.ts';
import { type OpenSource, openSource } from '../import/source.ts';
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
  changed = 0;
  /** Why sources were not read. */
  readonly failures: string[] = [];
  readonly #reading: Reading;
  readonly #taken: (() => void)[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Call once the records are stored. */
  keep(): void {
    for (const keep of this.#taken) keep();
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
      return yield* this.#unlessCurrent(root, [root], async () =>
        inCategory(await openSource(path, stdin, signal), category),
      );
    }
    const opened = inCategory(await openSource(path, stdin, signal), category);
    const { source } = opened;
    for (const folder of opened.unreadable ?? []) yield { kind: 'bad', ...folder };
    if (source.files.length === 0) return;
    const format = recognized(opened);
    const all = source.files.map((below) => join(root, below));
    state.keepOnly(root, new Set([...all, join(root, '/')]));
    const alone = { ...opened, links: [], unreadable: [] };
    if (!format.isByFile) return yield* this.#unlessCurrent(join(root, '/'), all, async () => alone);
    for (const below of source.files) {
      const one = async () => ({ ...alone, source: { ...source, files: [below] } });
      yield* this.#unlessCurrent(join(root, below), [join(root, below)], one, format);
    }
  }

  async *#unlessCurrent(
    path: string,
    files: readonly string[],
    open: () => Promise<OpenSource>,
    known?: ReturnType<typeof recognized>,
  ): AsyncGenerator<ReadRecord, void, void> {
    const { state, stored, secrets, signal } = this.#reading;
    this.files += files.length;
    let stamps: string[];
    try {
      stamps = await Promise.all(files.map(async (file) => fileStateOf(await attempt('read', file, () => stat(file)))));
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      return yield bad(path, error.message); // removed since the folder was listed
    }
    const stamp = stamps.length === 1 ? (stamps[0] ?? '') : `${Bun.hash.xxHash3(stamps.join())}`;
    if (state.isCurrent(path, stamp, stored)) return;
    this.changed += files.length;
    const opened = await open();
    const origins: Record<string, string> = {};
    const flagged: ReadRecord[] = [];
    let hasBad = false;
    for await (const record of recordsIn(opened, known ?? recognized(opened), signal)) {
      if (record.kind === 'bad') hasBad = true;
      if (record.kind === 'note' && record.origin !== undefined) origins[record.origin] = await takenOf(record.note);
      yield record;
      if (secrets.withholds(record)) flagged.push(record);
    }
    if (hasBad && Object.keys(origins).length === 0) return; // it may be unreadable only temporarily
    this.#taken.push(() => {
      const isWithheld = flagged.some((record) => secrets.withholds(record)); // withheld notes are reported each time
      if (!isWithheld) state.set(path, { stamp, origins });
    });
  }
}
