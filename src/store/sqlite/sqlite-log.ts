import type { Database } from 'bun:sqlite';
import { closeSync, fdatasync, openSync } from 'node:fs';

/** What waits for a checkpoint. */
export interface LogState {
  readonly pages: number;
  readonly checkpointed: number;
}

/**
 * The write-ahead log of a connection whose commits do not sync it (`synchronous = NORMAL`): `sync` does, off the event
 * loop. SQLite itself syncs the log before a checkpoint and when it begins the log anew.
 */
export class WriteAheadLog implements Disposable {
  readonly #db: Database;
  readonly #fd: number;

  constructor(db: Database, path: string) {
    this.#db = db;
    this.#fd = openSync(`${path}-wal`, 'r+');
  }

  /** Resolves once all commits before the call are on disk. */
  sync(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fdatasync(this.#fd, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  /** Pages that no checkpoint has copied as yet. */
  get waitingPages(): number {
    const { pages, checkpointed } = logStateOf(this.#db, 'NOOP');
    return pages - checkpointed;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/** Copies the log into the database file as far as readers permit; `NOOP` only tells its state. */
export function logStateOf(db: Database, mode: 'NOOP' | 'PASSIVE'): LogState {
  const [row] = db.query<{ log: number; checkpointed: number }, []>(`PRAGMA wal_checkpoint(${mode})`).all();
  return { pages: row?.log ?? 0, checkpointed: row?.checkpointed ?? 0 };
}
