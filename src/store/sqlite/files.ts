import { statSync } from 'node:fs';
import { DatabaseReplaced } from './failure.ts';

/** The files of a database as they were when it was opened. SQLite itself goes on writing into deleted files. */
export class DatabaseFiles {
  readonly #path: string;
  readonly #identities: ReadonlyMap<string, string>;

  /** Of the open database at `path`, in WAL mode and written to at least once: its log exists. `others` go with it. */
  constructor(path: string, others: readonly string[]) {
    this.#path = path;
    this.#identities = new Map([path, `${path}-wal`, ...others].map((file) => [file, identity(file)]));
  }

  /** Throws `DatabaseReplaced` when a file is not the one that was opened. */
  verify(): void {
    for (const [file, known] of this.#identities) {
      if (identity(file) !== known) throw new DatabaseReplaced(file);
    }
  }

  get databaseBytes(): number {
    return sizeOf(this.#path);
  }

  get walBytes(): number {
    return sizeOf(`${this.#path}-wal`);
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function identity(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : 'missing';
}
