import type { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { EngineStats } from '../../../domain/store.ts';
import { DatabaseReplaced } from '../failure.ts';
import { pragma } from '../migrate.ts';
import { sizeOf } from './own-files.ts';

/** Where things are in a write-ahead log: https://www.sqlite.org/fileformat.html#the_write_ahead_log */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const saltIn = { header: 16, frame: 8 } as const;

/**
 * How long a checkpoint of another program may be under way, in ms: its log shows it when it is done. And how long the log
 * may look strange, because it was begun anew while we looked.
 */
const checkpointMs = 5_000;
const restartMs = 100;

/** The state of the write-ahead log, from SQLite. */
export interface LogState {
  readonly pages: number;
  /** How many of them are in the database file, too. */
  readonly checkpointed: number;
}

/** What of the files shows whether SQLite has written to them. */
interface Content extends LogState {
  /** Counts how often the log was begun anew: SQLite raises it by 1. */
  readonly salt: number;
  /** Whether the log holds what SQLite has written to it. */
  readonly hasLog: boolean;
  /** Another one after every write to the database file. */
  readonly stamp: string;
}

/**
 * The files of an open database, as they were when it was opened and as SQLite has changed them since. SQLite itself goes on
 * writing into files that are deleted, and does not see that a file is overwritten.
 */
export class DatabaseFiles implements Disposable {
  readonly #db: Database;
  readonly #path: string;
  readonly #frameBytes: number;
  readonly #identities: ReadonlyMap<string, string>;
  readonly #log: number;
  #content: Content;
  #replaced: DatabaseReplaced | undefined;

  /** Of the open database at `path`, in WAL mode. */
  constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
    this.#frameBytes = pragma(db, 'page_size') + frameHeaderBytes;
    const files = ['', '-wal', '-shm', '.lock'].map((suffix) => path + suffix);
    this.#identities = new Map(files.map((file) => [file, identityOf(file)]));
    this.#log = openSync(`${path}-wal`, 'r');
    this.#content = this.#look({ pages: 0, checkpointed: 0, salt: 0, hasLog: true, stamp: '' });
  }

  /**
   * Throws `DatabaseReplaced` when a file is not the one that was opened, or was changed by what is not SQLite. Waits for
   * a checkpoint of another program to show in the log.
   */
  verify(): LogState {
    for (const since = performance.now(); ; Bun.sleepSync(1)) {
      this.#replaced ??= this.#findReplaced();
      if (this.#replaced) throw this.#replaced;
      const found = this.#look(this.#content);
      const isKnown = found.stamp === this.#content.stamp || isCheckpointed(this.#content, found);
      if (isKnown && found.hasLog) {
        this.#content = found;
        return found;
      }
      const waited = performance.now() - since;
      if (!found.hasLog && waited > restartMs) this.#replaced = new DatabaseReplaced(`${this.#path}-wal`);
      else if (!isKnown && waited > checkpointMs) this.#replaced = new DatabaseReplaced(this.#path);
    }
  }

  /** Call it after our own checkpoints. */
  noteCheckpoint(): LogState {
    this.#content = this.#look(this.#content);
    return this.#content;
  }

  sizes(): Pick<EngineStats, 'databaseBytes' | 'walBytes'> {
    return { databaseBytes: sizeOf(this.#path), walBytes: sizeOf(`${this.#path}-wal`) };
  }

  [Symbol.dispose](): void {
    closeSync(this.#log);
  }

  #findReplaced(): DatabaseReplaced | undefined {
    const replaced = [...this.#identities].find(([file, known]) => identityOf(file) !== known);
    return replaced && new DatabaseReplaced(replaced[0]);
  }

  /** The log first: it shows a checkpoint after the last write to the database file. */
  #look(known: Content): Content {
    const log = logStateOf(this.#db);
    const salts = this.#saltsOf(log, known);
    return { ...log, ...salts, stamp: stampOf(this.#path) };
  }

  /** The salt of the log must be that of the last page in it that was known, or else is: a hole has none. */
  #saltsOf({ pages }: LogState, known: Content): Pick<Content, 'salt' | 'hasLog'> {
    const salt = readSalt(this.#log, saltIn.header);
    if (pages === 0) return { salt: salt ?? known.salt, hasLog: true };
    const last = salt === known.salt && known.pages > 0 ? Math.min(known.pages, pages) : pages;
    const frame = logHeaderBytes + (last - 1) * this.#frameBytes;
    const hasLog = salt !== undefined && salt === readSalt(this.#log, frame + saltIn.frame);
    return { salt: salt ?? known.salt, hasLog };
  }
}

/** Looks, and changes nothing (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint). */
function logStateOf(db: Database): LogState {
  const [row] = db.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').all();
  return { pages: row?.log ?? 0, checkpointed: row?.checkpointed ?? 0 };
}

/** Whether SQLite has written to the database file: it does so in checkpoints alone, and its log shows each. */
function isCheckpointed(known: Content, found: Content): boolean {
  const restarts = (found.salt - known.salt) >>> 0;
  const goesOn = restarts === 0 && found.pages >= known.pages;
  if (goesOn) return found.checkpointed !== known.checkpointed;
  return known.checkpointed < known.pages || found.checkpointed > 0 || restarts > 1;
}

function readSalt(fd: number, at: number): number | undefined {
  const bytes = Buffer.alloc(4);
  return readSync(fd, bytes, 0, 4, at) === 4 ? bytes.readUInt32BE() : undefined;
}

function identityOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : 'missing';
}

function stampOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.size} ${stat.mtimeNs}` : 'missing';
}
