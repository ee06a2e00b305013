import { Database } from 'bun:sqlite';

/** Earlier ones may damage a database at a checkpoint beside a commit: https://www.sqlite.org/wal.html#walresetbug */
const soundFrom = [3, 51, 3] as const;

/** What to say of a version of SQLite that may damage a database; undefined of a sound one. */
export function versionFault(version: string): string | undefined {
  if (isBefore(version.split('.').map(Number), soundFrom)) {
    return `SQLite ${version} may damage a database that other programs write to as well: let none do so, or use 3.51.3 or newer`;
  }
  return undefined;
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  const at = other.findIndex((part, index) => (version[index] ?? 0) !== part);
  return at >= 0 && (version[at] ?? 0) < (other[at] ?? 0);
}

/** The version of SQLite that this runtime has: on macOS it is the system's. */
export function sqliteVersion(): string {
  using db = new Database(':memory:');
  const [row] = db.prepare<{ version: string }, []>('SELECT sqlite_version() AS version').all();
  return row?.version ?? '';
}
