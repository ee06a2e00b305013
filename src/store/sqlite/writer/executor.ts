import { openDatabase, refusal } from '../file/database.ts';
import { type Message, type Order, type Reply, type Results, sentEffect, sentError } from './orders.ts';
import { Writer } from './writer.ts';

/** Carries out orders on the database that the first one opens, and sends a reply to each before the next. */
export class Executor {
  readonly #send: (message: Message) => void;
  #writer: Writer | undefined;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  execute(order: Order): void {
    this.#send(this.#replyTo(order));
    if (isWrite(order)) this.#attempt(() => this.#writer?.checkpoint());
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

  #replyTo(order: Order): Reply {
    try {
      const result = order.kind === 'open' ? this.#open(order) : this.#resultOf(order);
      return { isForeign: this.#hasForeignCommits(), result };
    } catch (error) {
      const failure = sentError(error, isWrite(order) ? 'write' : 'read');
      return { isForeign: this.#hasForeignCommits(), failure };
    }
  }

  /** Where nobody can tell, it may be so. */
  #hasForeignCommits(): boolean {
    try {
      return this.#writer?.noticeForeignCommits() ?? false;
    } catch {
      return true;
    }
  }

  #open({ options }: Extract<Order, { kind: 'open' }>): Results['open'] {
    try {
      const { db, path, knownSteps, copy, resources } = openDatabase(options);
      this.#writer = new Writer(db, { path, knownSteps, resources });
      return { path, copy };
    } catch (error) {
      throw refusal(error, options.path);
    }
  }

  #resultOf(order: Exclude<Order, { kind: 'open' }>): Results[keyof Results] {
    const writer = this.#writer;
    if (writer === undefined) throw new Error('The database is not open');
    switch (order.kind) {
      case 'commit':
        return writer.commit(order.writes, order.at).map(sentEffect);
      case 'merge':
        return writer.merge(order.notes, order.dryRun, order.lastId);
      case 'get':
        return writer.get(order.id);
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

const isWrite = (order: Order) => order.kind === 'commit' || (order.kind === 'merge' && !order.dryRun);
