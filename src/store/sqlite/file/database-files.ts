import type { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { EngineStats } from '../../../domain/store.ts';
import { UncertainState } from '../failure.ts';
import { pragma } from '../migrate.ts';
import { sizeOf } from './own-files.ts';

/** Offsets in a write-ahead log: https://www.sqlite.org/fileformat.html#the_write_ahead_log */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const saltIn = { header: 16, frame: 8 } as const;

/**
 * Timeouts in ms: for the log to show a checkpoint of another program, and for a log to look valid again after it was
 * restarted during a check.
 */
const checkpointMs = 5_000;
const restartMs = 100;

/** The state of the write-ahead log, as reported by SQLite. */
export interface LogState {
  readonly pages: number;
  /** How many of them have been copied into the database file. */
  readonly checkpointed: number;
}

/** What reveals whether SQLite wrote to the files. */
interface Content extends LogState {
  /** SQLite increments it by 1 for each restart of the log. */
  readonly salt: number;
  /** Whether the log contains what SQLite has written to it. */
  readonly hasLog: boolean;
  /** Changes also if another connection empties the log. */
  readonly dataVersion: number;
  /** Changes with every write to the database file. */
  readonly stamp: string;
}

/**
 * Watches the files of an open database for changes that SQLite did not make. SQLite itself keeps writing to deleted
 * files, and does not notice when a file is overwritten.
 */
export class DatabaseFiles implements Disposable {
  readonly #db: Database;
  readonly #path: string;
  readonly #frameBytes: number;
  readonly #identities: ReadonlyMap<string, string>;
  readonly #log: number;
  #content: Content;
  #replaced: UncertainState | undefined;

  /** `db` is open at `path` in WAL mode. */
  constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
    this.#frameBytes = pragma(db, 'page_size') + frameHeaderBytes;
    const files = ['', '-wal', '-shm', '.lock'].map((suffix) => path + suffix);
    this.#identities = new Map(files.map((file) => [file, identityOf(file)]));
    this.#log = openSync(`${path}-wal`, 'r');
    this.#content = this.#readContent({ pages: 0, salt: 0 });
  }

  /**
   * Throws `UncertainState` if a file was replaced, or changed by anything but SQLite. Waits for a checkpoint of
   * another program to show in the log.
   */
  verify(): LogState {
    for (const since = performance.now(); ; Bun.sleepSync(1)) {
      this.#replaced ??= this.#findReplaced();
      if (this.#replaced) throw this.#replaced;
      const found = this.#readContent(this.#content);
      const isKnown = found.stamp === this.#content.stamp || isCheckpointed(this.#content, found);
      if (isKnown && found.hasLog) {
        this.#content = found;
        return found;
      }
      const waited = performance.now() - since;
      if (!found.hasLog && waited > restartMs) this.#replaced = replaced(`${this.#path}-wal`);
      else if (!isKnown && waited > checkpointMs) this.#replaced = replaced(this.#path);
    }
  }

  /** Call after a checkpoint of our own. */
  readAfterCheckpoint(): LogState {
    this.#content = this.#readContent(this.#content);
    return this.#content;
  }

  sizes(): Pick<EngineStats, 'databaseBytes' | 'walBytes'> {
    return { databaseBytes: sizeOf(this.#path), walBytes: sizeOf(`${this.#path}-wal`) };
  }

  [Symbol.dispose](): void {
    closeSync(this.#log);
  }

  #findReplaced(): UncertainState | undefined {
    const [file] = [...this.#identities].find(([path, known]) => identityOf(path) !== known) ?? [];
    return file === undefined ? undefined : replaced(file);
  }

  /**
   * Reads the log before the stamp, as it shows a checkpoint only after the last write to the database file, and the
   * version before the log, so that it never hides an emptied one.
   */
  #readContent(known: Pick<Content, 'pages' | 'salt'>): Content {
    const dataVersion = dataVersionOf(this.#db);
    const log = logStateOf(this.#db);
    const salts = this.#saltsOf(log, known);
    return { ...log, ...salts, dataVersion, stamp: sizeAndTimeOf(this.#path) };
  }

  /** Compares the salt of the log with that of its last known page, or else its last page. A hole has none. */
  #saltsOf({ pages }: LogState, known: Pick<Content, 'pages' | 'salt'>): Pick<Content, 'salt' | 'hasLog'> {
    const salt = readSalt(this.#log, saltIn.header);
    if (pages === 0) return { salt: salt ?? known.salt, hasLog: true };
    const last = salt === known.salt && known.pages > 0 ? Math.min(known.pages, pages) : pages;
    const frame = logHeaderBytes + (last - 1) * this.#frameBytes;
    const hasLog = salt !== undefined && salt === readSalt(this.#log, frame + saltIn.frame);
    return { salt: salt ?? known.salt, hasLog };
  }
}

/** Changes with every commit by another connection. */
export function dataVersionOf(db: Database): number {
  const [row] = db.query<{ data_version: number }, []>('PRAGMA data_version').all();
  return row?.data_version ?? 0;
}

const replaced = (file: string) => new UncertainState(`${file} was deleted or replaced while the service ran`);

/** Does not run a checkpoint (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint). */
function logStateOf(db: Database): LogState {
  const [row] = db.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').all();
  return { pages: row?.log ?? 0, checkpointed: row?.checkpointed ?? 0 };
}

/** Whether SQLite wrote to the database file. It does so only in checkpoints, which the log shows. */
function isCheckpointed(known: Content, found: Content): boolean {
  const restarts = (found.salt - known.salt) >>> 0;
  const goesOn = restarts === 0 && found.pages >= known.pages;
  if (found.pages === 0 && found.dataVersion !== known.dataVersion) return true; // emptied by another program
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

function sizeAndTimeOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.size} ${stat.mtimeNs}` : 'missing';
}
