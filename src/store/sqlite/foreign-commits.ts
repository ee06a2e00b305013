import type { Database } from 'bun:sqlite';
import { closeSync, openSync, statSync, truncateSync } from 'node:fs';

/** SQLite grows the WAL index by so many bytes at a time. */
const regionBytes = 32 * 1024;

/** The head of a WAL index, in shared memory. */
export interface SharedHeader {
  readonly words: Uint32Array;
  readonly inode: number;
}

/**
 * Notices what other programs commit to an open database in WAL mode. Every commit is counted in the third word of the
 * WAL-index header (https://www.sqlite.org/walformat.html, 2.2), in shared memory, before it returns: reading that word
 * costs nothing and misses nobody. Where memory cannot be shared, SQLite is asked (`PRAGMA data_version`, some µs).
 */
export class ForeignCommits {
  readonly #counted: () => number;
  readonly #countsOwn: boolean;
  #known: number;
  #own = 0;

  /** Of the database at `path`, which `db` has open for writing; `mapped` is from `mapHeader`. */
  constructor(db: Database, path: string, mapped: SharedHeader | undefined) {
    const inode = statSync(`${path}-shm`, { throwIfNoEntry: false })?.ino;
    const header = mapped?.inode === inode ? mapped?.words : undefined;
    const dataVersion = db.prepare<{ data_version: number }, []>('PRAGMA data_version');
    this.#countsOwn = header !== undefined;
    this.#counted = header ? () => header[2] ?? 0 : () => dataVersion.all()[0]?.data_version ?? 0;
    this.#known = this.#counted();
  }

  /** To be told of each commit of `db` that wrote something. */
  countOwn(): void {
    this.#own++;
    if (this.#countsOwn) this.#known = (this.#known + 1) >>> 0;
  }

  /** Whether another program has committed since this was last asked. */
  notice(): boolean {
    const counted = this.#counted();
    if (counted === this.#known) return false;
    this.#known = counted;
    return true;
  }

  /** Names the state of the database as far as it is known; another one after every commit. */
  get state(): string {
    return `${this.#own}.${this.#known}`;
  }
}

/**
 * Maps the head of the WAL index of a database that this process has not opened yet; undefined where memory cannot be
 * shared. Not later: closing any descriptor of a file gives up all locks that the process holds on it, SQLite's own
 * included (https://www.sqlite.org/howtocorrupt.html, 2.2), and the next program would begin the index anew under us.
 */
export function mapHeader(path: string): SharedHeader | undefined {
  const file = `${path}-shm`;
  try {
    closeSync(openSync(file, 'a', 0o600));
    if (statSync(file).size < regionBytes) truncateSync(file, regionBytes);
    const shared = Bun.mmap(file, { shared: true });
    return { words: new Uint32Array(shared.buffer, shared.byteOffset, 12), inode: statSync(file).ino };
  } catch {
    return undefined;
  }
}
