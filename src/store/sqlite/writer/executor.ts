import { type DatabaseOptions, type OpenDatabase, openDatabase, refusal } from '../file/database.ts';
import { type Message, type SentEffect, sentError } from './messages.ts';
import { type Batch, Writer } from './writer.ts';

/** Requests to a writer, by name: methods of `Writer`, after `open` and until `close`. */
export interface Operations
  extends Pick<Writer, 'check' | 'get' | 'labels' | 'lastId' | 'poll' | 'merge' | 'newest'>,
    Pick<Writer, 'newestHeads' | 'origins' | 'setLabels' | 'stats' | 'versions'> {
  open(options: DatabaseOptions, maxVersions: number): Pick<OpenDatabase, 'path' | 'copy'>;
  commit(batch: Batch): readonly SentEffect[];
  close(): void;
}

/** An operation and its arguments. Requests are executed and answered in order. */
export type WriterRequest = {
  [Name in keyof Operations]: { readonly name: Name; readonly args: Parameters<Operations[Name]> };
}[keyof Operations];

type Single = Exclude<WriterRequest, { name: 'commit' }>;

/** Executes requests on the database that the first one opens. */
export class Executor {
  readonly #send: (message: Message) => void;
  #writer: Writer | undefined;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  /** Replies to each request in order. Consecutive commits share one transaction. */
  execute(requests: readonly WriterRequest[]): void {
    const batches: Batch[] = [];
    for (const request of requests) {
      if (request.name === 'commit') batches.push(...request.args);
      else {
        this.#commit(batches.splice(0));
        this.#reply(request);
      }
    }
    this.#commit(batches);
  }

  checkFiles(): void {
    this.#attempt(() => this.#writer?.checkFiles());
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#send({ lost: sentError(error, 'write') });
    }
  }

  #commit(batches: readonly Batch[]): void {
    if (batches.length === 0) return;
    this.#sendResults(batches.length, 'write', () => this.#opened().commit(batches));
    this.#attempt(() => this.#writer?.checkpoint());
  }

  #reply(request: Single): void {
    const isWrite = request.name === 'setLabels' || (request.name === 'merge' && !request.args[1]); // not a dry run
    this.#sendResults(1, isWrite ? 'write' : 'read', () => [this.#resultOf(request)]);
    if (isWrite) this.#attempt(() => this.#writer?.checkpoint());
  }

  /** Sends as many replies as there were requests. */
  #sendResults(requests: number, during: 'read' | 'write', work: () => readonly unknown[]): void {
    try {
      const results = work();
      const isForeign = this.#hasForeignCommits();
      for (const result of results) this.#send({ isForeign, result });
    } catch (error) {
      const failure = sentError(error, during);
      const isForeign = this.#hasForeignCommits();
      for (let sent = 0; sent < requests; sent++) this.#send({ isForeign, failure });
    }
  }

  /** Also true if the check fails. */
  #hasForeignCommits(): boolean {
    try {
      return this.#writer?.noticeForeignCommits() ?? false;
    } catch {
      return true;
    }
  }

  #resultOf({ name, args }: Single): unknown {
    if (name === 'open') return this.#open(...args);
    const writer = this.#opened();
    if (name !== 'close') return Reflect.apply(writer[name], writer, args);
    this.#writer = undefined;
    return writer[Symbol.dispose]();
  }

  #opened(): Writer {
    if (this.#writer === undefined) throw new Error('The database is not open');
    return this.#writer;
  }

  #open(options: DatabaseOptions, maxVersions: number): ReturnType<Operations['open']> {
    try {
      const database = openDatabase(options);
      this.#writer = new Writer(database, maxVersions);
      return { path: database.path, copy: database.copy };
    } catch (error) {
      throw refusal(error, options.path);
    }
  }
}
