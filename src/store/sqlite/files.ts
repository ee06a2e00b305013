import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { EngineStats } from '../../domain/store.ts';
import { DatabaseReplaced } from './failure.ts';
import { type LogState, logStateOf } from './write-ahead-log.ts';

/** Bytes in front of the pages of a write-ahead log, and of each page (https://www.sqlite.org/walformat.html). */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/**
 * The files of an open database, as they were when it was opened and as SQLite has changed them since. SQLite itself goes on
 * writing into files that are deleted, and does not see that a file is overwritten.
 */
export class DatabaseFiles {
  readonly #db: Database;
  readonly #path: string;
  readonly #frameBytes: number;
  readonly #identities: ReadonlyMap<string, string>;
  #log: LogState;
  #stamp: string;

  /** Of the open database at `path`, in WAL mode and written to at least once: its log exists. */
  constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
    const pageBytes = db.prepare<{ page_size: number }, []>('PRAGMA page_size').all()[0]?.page_size ?? 0;
    this.#frameBytes = pageBytes + frameHeaderBytes;
    const files = ['', '-wal', '-shm', '.lock'].map((suffix) => path + suffix);
    this.#identities = new Map(files.map((file) => [file, identityOf(file)]));
    this.#log = logStateOf(db);
    this.#stamp = stampOf(path);
  }

  /** Throws `DatabaseReplaced` when a file is not the one that was opened, or was changed by what is not SQLite. */
  verify(): LogState {
    for (const [file, known] of this.#identities) {
      if (identityOf(file) !== known) throw new DatabaseReplaced(file);
    }
    const log = logStateOf(this.#db);
    if (sizeOf(`${this.#path}-wal`) < logBytes(log, this.#frameBytes)) throw new DatabaseReplaced(`${this.#path}-wal`);
    this.#verifyContent(log);
    this.#log = log;
    return log;
  }

  /** To be told when we have written to the database file itself. */
  noteCheckpoint(): LogState {
    this.#log = logStateOf(this.#db);
    this.#stamp = stampOf(this.#path);
    return this.#log;
  }

  sizes(): Pick<EngineStats, 'databaseBytes' | 'walBytes'> {
    return { databaseBytes: sizeOf(this.#path), walBytes: sizeOf(`${this.#path}-wal`) };
  }

  /** SQLite writes to the database file in checkpoints alone, and its log tells of each. */
  #verifyContent(log: LogState): void {
    const stamp = stampOf(this.#path);
    if (stamp === this.#stamp) return;
    const isCheckpointed = log.checkpointed !== this.#log.checkpointed || log.pages < this.#log.pages;
    if (!isCheckpointed && !this.#isSound()) throw new DatabaseReplaced(this.#path);
    this.#stamp = stamp;
  }

  /** Another program may be in the middle of a checkpoint, or was killed there: that leaves nothing damaged. */
  #isSound(): boolean {
    const [fault] = this.#db.prepare<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
    return fault?.quick_check === 'ok';
  }
}

const logBytes = ({ pages }: LogState, frameBytes: number) => (pages === 0 ? 0 : logHeaderBytes + pages * frameBytes);

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function identityOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : 'missing';
}

/** Another one after every write to the file. */
function stampOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.size} ${stat.mtimeNs}` : 'missing';
}
