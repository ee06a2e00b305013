import { NoteError } from '../../../core/error.ts';
import { formatInteger } from '../../../core/text/format-counts.ts';
import type { ReadRecord } from '../../../formats/record.ts';
import type { Input } from '../../io.ts';
import { openSourceAndRecords } from './open-records.ts';
import type { ImportFlags } from './source-flags.ts';

type OpenRecords = Awaited<ReturnType<typeof openSourceAndRecords>>;

interface NamedSourcesOptions {
  readonly flags: ImportFlags;
  readonly stdin: Input;
  readonly signal: AbortSignal;
}

/** More names than these are only counted. */
const maxNames = 3;

/**
 * The sources that the user named, read one after the other. If there is one, its failure is thrown; of several, each
 * failure is recorded, and affects no other source.
 */
export class NamedSources {
  /** Why sources were not read. */
  readonly failures: NoteError[] = [];
  /** Sources that were read and hold no notes, as sentences. */
  readonly empty: string[] = [];
  readonly #paths: readonly string[];
  readonly #reading: NamedSourcesOptions;
  #at = 0;
  #current: OpenRecords | undefined;
  readonly #names: string[] = [];

  constructor(paths: readonly string[], reading: NamedSourcesOptions) {
    this.#paths = paths;
    this.#reading = reading;
  }

  /** Opens the next source that can be opened; returns whether there is one. */
  async openNextReadableIfAny(): Promise<boolean> {
    this.#current = undefined;
    while (this.#current === undefined && this.#at < this.#paths.length)
      await this.#openAsCurrentOrHandleFailure(this.#paths[this.#at++] ?? '');
    return this.#current !== undefined;
  }

  async #openAsCurrentOrHandleFailure(path: string): Promise<void> {
    const { flags, stdin, signal } = this.#reading;
    try {
      this.#current = await openSourceAndRecords(path, flags, stdin, signal);
      this.#names.push(`${this.#current.source.name} (${this.#current.format.name})`);
    } catch (error) {
      this.#recordOrThrowFailure(error);
    }
  }

  /** Reads the records of the source that is open, and of all after it. */
  async *streamRecordsFromCurrentOn(): AsyncGenerator<ReadRecord, void, void> {
    for (let hasMore = this.#current !== undefined; hasMore; hasMore = await this.openNextReadableIfAny())
      yield* this.#streamCurrentAndRecordOrThrowFailure();
  }

  async *#streamCurrentAndRecordOrThrowFailure(): AsyncGenerator<ReadRecord, void, void> {
    if (this.#current === undefined) return;
    const { records, source, format, isFolder } = this.#current;
    let [read, leftOut] = [0, 0];
    try {
      for await (const record of records) {
        if (record.kind === 'left out') leftOut += record.count ?? 1;
        else read++;
        yield this.#addSourceNameToRecord(record, source.name);
      }
    } catch (error) {
      return this.#recordOrThrowFailure(error);
    }
    const inFormat = format.name === 'mixed' ? '' : ` in the format ${format.name}`;
    if (read === 0 && (isFolder || leftOut > 0)) this.empty.push(`${source.name} holds no notes${inFormat}`);
  }

  #recordOrThrowFailure(error: unknown): void {
    const isOneOfSeveral = this.#paths.length > 1 && error instanceof NoteError && !this.#reading.signal.aborted;
    if (!isOneOfSeveral) throw error;
    this.failures.push(error);
  }

  /** Among several sources, says in which one a record is. */
  #addSourceNameToRecord(record: ReadRecord, name: string): ReadRecord {
    const isClear = this.#paths.length === 1 || record.location.startsWith(name);
    return isClear ? record : { ...record, location: `${name}: ${record.location}` };
  }

  /** Returns the fraction that was read, from 0 to 1, if known. */
  findReadFraction(): number | undefined {
    const part = this.#current?.part();
    return this.#paths.length === 1 ? part : (this.#at - 1 + (part ?? 0)) / this.#paths.length;
  }

  /** Formats the names of what was read, with their formats: "a.md (markdown), b.css (code)". */
  formatNamesAndFormats(): string {
    return this.#names.length > maxNames ? `${formatInteger(this.#names.length)} sources` : this.#names.join(', ');
  }
}
