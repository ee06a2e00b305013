import { openDatabase, refusal } from '../file/database.ts';
import { type Message, type Reply, type Results, sentEffect, sentError, type WriterRequest } from './messages.ts';
import { Writer } from './writer.ts';

/** Carries out orders on the database that the first one opens, and sends a reply to each before the next. */
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
      const result = request.kind === 'open' ? this.#open(request) : this.#resultOf(request);
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

  #open({ options, maxVersions }: Extract<WriterRequest, { kind: 'open' }>): Results['open'] {
    try {
      const { db, path, knownSteps, copy, resources } = openDatabase(options);
      this.#writer = new Writer(db, { path, knownSteps, resources, maxVersions });
      return { path, copy };
    } catch (error) {
      throw refusal(error, options.path);
    }
  }

  #resultOf(request: Exclude<WriterRequest, { kind: 'open' }>): Results[keyof Results] {
    const writer = this.#writer;
    if (writer === undefined) throw new Error('The database is not open');
    switch (request.kind) {
      case 'commit':
        return writer.commit(request.writes, request.at).map(sentEffect);
      case 'merge':
        return writer.merge(request.notes, request.dryRun, request.lastId);
      case 'get':
        return writer.get(request.id);
      case 'versions':
        return writer.versions(request.range);
      case 'labels':
        return writer.labels();
      case 'setLabels':
        return writer.setLabels(request.labels);
      case 'stats':
        return writer.stats();
      case 'lastId':
        return writer.lastId();
      case 'check':
        writer.check();
        return undefined;
      case 'close':
        this.#writer = undefined;
        writer[Symbol.dispose]();
        return undefined;
      case 'look':
        return undefined;
    }
  }
}

const isWrite = (request: WriterRequest) =>
  request.kind === 'commit' || request.kind === 'setLabels' || (request.kind === 'merge' && !request.dryRun);
