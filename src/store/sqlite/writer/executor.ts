import { type DatabaseOptions, type OpenDatabase, openDatabase, refusal } from '../file/database.ts';
import { type Message, type Reply, sentError } from './messages.ts';
import { Writer } from './writer.ts';

/** The methods of a writer, by whose names it is asked: its database is opened first, and closed last. */
export interface Operations
  extends Pick<Writer, 'check' | 'commit' | 'get' | 'labels' | 'lastId' | 'look' | 'merge' | 'originsAfter'>,
    Pick<Writer, 'setLabels' | 'stats' | 'versions'> {
  open(options: DatabaseOptions, maxVersions: number): Pick<OpenDatabase, 'path' | 'copy'>;
  close(): void;
}

/** An operation, and what it is given: each is done, and answered, after the one before. */
export type WriterRequest = {
  [Name in keyof Operations]: { readonly name: Name; readonly args: Parameters<Operations[Name]> };
}[keyof Operations];

/** Carries out requests on the database that the first one opens, and sends a reply to each before the next. */
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

  /** True also when it cannot be found out. */
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
  name === 'commit' || name === 'setLabels' || (name === 'merge' && !args[1]); // no dry run
