import type { Database } from 'bun:sqlite';
import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFile, syncFolder } from '../fsync.ts';
import { getFreeTimedPath } from './backup/backup-names.ts';
import { copyOwnerIfRoot } from './database-files.ts';
import { readNumericPragmaOrZero } from './schema-checks.ts';
import { applicationId } from './sqlite-migrations.ts';

/**
 * Migrates the schema, each step in a transaction of its own. Before the first step, copies a file that already has a
 * schema, and returns the path of the copy; undefined if there was nothing to copy or to do.
 */
export function copyAndMigrateSqlite(db: Database, path: string, steps: readonly string[]): string | undefined {
  const version = readNumericPragmaOrZero(db, 'user_version');
  if (version === steps.length) return undefined;
  const copy = version > 0 ? copyBeforeMigration(db, path, version) : undefined;
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    db.transaction(() => {
      db.run(step);
      db.run(`PRAGMA user_version = ${index + 1}`);
      db.run(`PRAGMA application_id = ${applicationId}`);
    }).immediate();
  }
  return copy;
}

/** Copies the database to a file that only its owner can read, and syncs it before the schema changes. */
function copyBeforeMigration(db: Database, path: string, version: number): string {
  const copy = getFreeTimedPath(`${path}.schema-${version}.`, Date.now());
  closeSync(openSync(copy, 'wx', 0o600)); // does not follow links
  try {
    db.run('VACUUM INTO ?', [copy]);
    copyOwnerIfRoot(path, copy);
    syncFile(copy);
    syncFolder(dirname(path));
    return copy;
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}
