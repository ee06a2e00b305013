import { Database } from 'bun:sqlite';

/** Earlier versions may corrupt a database during a checkpoint: https://www.sqlite.org/wal.html#walresetbug */
const soundFrom = '3.51.3';

/** Warning for a version of SQLite that may damage a database; undefined for a sound one. */
export function versionFault(version: string): string | undefined {
  if (Bun.semver.satisfies(version, `>=${soundFrom}`)) return undefined;
  return (
    `SQLite ${version} may damage a database that other programs also write to: avoid that, ` +
    `or use ${soundFrom} or newer`
  );
}

/** The SQLite version of the runtime; on macOS that of the system. */
export function sqliteVersion(): string {
  using db = new Database(':memory:');
  const [row] = db.prepare<{ version: string }, []>('SELECT sqlite_version() AS version').all();
  return row?.version ?? '';
}
