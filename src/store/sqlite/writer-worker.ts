/** Writes to the database on a thread of its own: see writer-thread.ts. */
import { openDatabase, refusal } from './database.ts';
import { type Message, type Order, type Reply, type Results, sentEffect, sentError } from './orders.ts';
import { Writer } from './writer.ts';

declare const self: Worker;

let writer: Writer | undefined;

self.onmessage = ({ data }: MessageEvent<string>) => {
  const order: Order = JSON.parse(data); // ours
  send(replyTo(order));
  if (order.kind === 'commit' || order.kind === 'merge') attempt(() => writer?.checkpoint());
};

/** Also while nobody writes: a lock that was deleted admits a second service. */
setInterval(() => attempt(() => writer?.checkFiles()), 1_000);

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    send({ lost: sentError(error, 'write') });
  }
}

const send = (message: Message) => self.postMessage(JSON.stringify(message));

function replyTo(order: Order): Reply {
  try {
    const result = order.kind === 'open' ? open(order) : resultOf(order);
    return { isForeign: hasForeignCommits(), result };
  } catch (error) {
    return { isForeign: hasForeignCommits(), failure: sentError(error, isWrite(order) ? 'write' : 'read') };
  }
}

const isWrite = (order: Order) => order.kind === 'commit' || (order.kind === 'merge' && !order.dryRun);

/** Where nobody can tell, it may be so. */
function hasForeignCommits(): boolean {
  try {
    return writer?.noticeForeignCommits() ?? false;
  } catch {
    return true;
  }
}

function open({ options }: Extract<Order, { kind: 'open' }>): Results['open'] {
  try {
    const { db, path, knownSteps, copy, resources } = openDatabase(options);
    writer = new Writer(db, { path, knownSteps, resources });
    return { path, copy };
  } catch (error) {
    throw refusal(error, options.path);
  }
}

function resultOf(order: Exclude<Order, { kind: 'open' }>): Results[keyof Results] {
  if (writer === undefined) throw new Error('The database is not open');
  switch (order.kind) {
    case 'commit':
      return writer.commit(order.writes, order.at).map(sentEffect);
    case 'merge':
      return writer.merge(order.notes, order.dryRun);
    case 'get':
      return writer.get(order.id);
    case 'stats':
      return writer.stats();
    case 'check':
      writer.check();
      return undefined;
    case 'close':
      writer[Symbol.dispose]();
      writer = undefined;
      return undefined;
    case 'look':
      return undefined;
  }
}
