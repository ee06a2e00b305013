import type { Database } from 'bun:sqlite';

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

  /** Of the database at `path`, which `db` has open for writing. */
  constructor(db: Database, path: string) {
    const header = sharedHeader(`${path}-shm`);
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

function sharedHeader(file: string): Uint32Array | undefined {
  try {
    const shared = Bun.mmap(file, { shared: true });
    return new Uint32Array(shared.buffer, shared.byteOffset, 12);
  } catch {
    return undefined;
  }
}
