import { Database } from 'bun:sqlite';

/** Earlier ones may damage a database at a checkpoint beside a commit: https://www.sqlite.org/wal.html#walresetbug */
const soundFrom = '3.51.3';

/** What to say of a version of SQLite that may damage a database; undefined of a sound one. */
export function versionFault(version: string): string | undefined {
  if (Bun.semver.satisfies(version, `>=${soundFrom}`)) return undefined;
  return `SQLite ${version} may damage a database that other programs write to as well: let none do so, or use ${soundFrom} or newer`;
}

/** The version of SQLite that this runtime has: on macOS it is the system's. */
export function sqliteVersion(): string {
  using db = new Database(':memory:');
  const [row] = db.prepare<{ version: string }, []>('SELECT sqlite_version() AS version').all();
  return row?.version ?? '';
}
