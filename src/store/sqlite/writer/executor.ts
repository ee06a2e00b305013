import { type DatabaseOptions, type OpenDatabase, openDatabase, refusal } from '../file/database.ts';
import { type Message, type Reply, sentError } from './messages.ts';
import { Writer } from './writer.ts';

/** Requests to a writer, by name: methods of `Writer`, after `open` and until `close`. */
export interface Operations
  extends Pick<Writer, 'check' | 'commit' | 'get' | 'labels' | 'lastId' | 'look' | 'merge' | 'newest'>,
    Pick<Writer, 'newestHeads' | 'origins' | 'setLabels' | 'stats' | 'versions'> {
  open(options: DatabaseOptions, maxVersions: number): Pick<OpenDatabase, 'path' | 'copy'>;
  close(): void;
}

/** An operation and its arguments. Requests are executed and answered in order. */
export type WriterRequest = {
  [Name in keyof Operations]: { readonly name: Name; readonly args: Parameters<Operations[Name]> };
}[keyof Operations];

/** Executes requests on the database that the first one opens, and replies to each before the next. */
export class Executor {
  readonly #send: (message: Message) => void;
  #writer: Writer | undefined;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  execute(request: WriterRequest): void {
    this.#send(this.#replyTo(request));
    if (isWrite(request)) this.#attempt(() => this.#writer?.checkpoint());
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

  #replyTo(request: WriterRequest): Reply {
    try {
      const result = this.#resultOf(request);
      return { isForeign: this.#hasForeignCommits(), result };
    } catch (error) {
      const failure = sentError(error, isWrite(request) ? 'write' : 'read');
      return { isForeign: this.#hasForeignCommits(), failure };
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

  #resultOf({ name, args }: WriterRequest): unknown {
    if (name === 'open') return this.#open(...args);
    const writer = this.#writer;
    if (writer === undefined) throw new Error('The database is not open');
    if (name !== 'close') return Reflect.apply(writer[name], writer, args);
    this.#writer = undefined;
    return writer[Symbol.dispose]();
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

const isWrite = ({ name, args }: WriterRequest) =>
  name === 'commit' || name === 'setLabels' || (name === 'merge' && !args[1]); // not a dry run
