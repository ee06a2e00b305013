/** Folds the write-ahead log of a database into it, each time it is told to, on a thread of its own: see checkpoints.ts. */
import { Database, SQLiteError } from 'bun:sqlite';
import type { Folded, Order } from './checkpoints.ts';

declare const self: Worker;

let db: Database | undefined;

self.onmessage = ({ data: order }: MessageEvent<Order>) => self.postMessage(obey(order));

function obey(order: Order): Folded {
  try {
    if (order.kind === 'close') {
      db?.close(true);
      return {};
    }
    db ??= open(order.path);
    db.run('PRAGMA wal_checkpoint(PASSIVE)');
    return {};
  } catch (error) {
    return { message: String(error), ...(error instanceof SQLiteError && { code: error.code ?? '' }) };
  }
}

function open(path: string): Database {
  const opened = new Database(path, { create: false, readwrite: true });
  opened.run('PRAGMA synchronous = FULL');
  opened.run('PRAGMA wal_autocheckpoint = 0');
  return opened;
}
