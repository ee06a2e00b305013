/** Inspects the database files of a service. */
import { Database } from 'bun:sqlite';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createTemporaryFolder } from '../support/service.ts';

/** A database path for one test, removed on disposal. */
export interface TemporaryDatabase extends Disposable {
  readonly path: string;
  /** Settings of a service with this database. */
  readonly settings: Readonly<Record<string, string>>;
}

export function createTemporaryDatabase(): TemporaryDatabase {
  const folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  return { path, settings: createSqliteSettings(path), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

export const createSqliteSettings = (path: string) => ({ DATABASE_URL: `sqlite:${path}` });

/** The result of SQLite's integrity check; `ok` if there are no errors. */
export function readIntegrityCheck(path: string): string {
  using db = new Database(path, { readonly: true });
  const rows = db.prepare<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
  return rows.map((row) => row.integrity_check).join('; ');
}

/** The logs next to a database: all files with notes except the database itself. */
export function listLogPaths(path: string): string[] {
  const others = ['', '-shm', '.lock'].map((suffix) => `${basename(path)}${suffix}`);
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name.startsWith(basename(path)) && !others.includes(name))
    .map((name) => join(folder, name));
}
