/** The second thread: what takes long on a database, on connections of its own. See sqlite-worker-client.ts. */
import { Database } from 'bun:sqlite';
import { chmodSync } from 'node:fs';
import type { NoteFilter } from '../../core/note.ts';
import { getErrorCode, getErrorMessage } from '../../core/thrown-errors.ts';
import { syncFile, syncLog } from '../fsync.ts';
import { backupsIn } from './backup/backup-names.ts';
import { inspect } from './backup/inspect-database.ts';
import { pragma } from './migrate-sqlite.ts';
import { openToCopy } from './open-database.ts';
import { countNotes, readDataVersion, readNewest, readNotesCreatedAt } from './sqlite-reads.ts';

declare const self: Worker;

const connections = new Map<string, Database>();

/** The connections to a database: one that writes, and one whose transaction shows a log to be in use. */
type Role = 'worker' | 'reader';

const connectionTo = (path: string, role: Role = 'worker'): Database =>
  connections.getOrInsertComputed(`${role} ${path}`, () => {
    const db = new Database(path, { create: false, readwrite: true });
    db.run('PRAGMA synchronous = NORMAL'); // a checkpoint then syncs the log first, and the database file after
    db.run('PRAGMA checkpoint_fullfsync = ON');
    return db;
  });

function endTransaction(db: Database): void {
  if (db.inTransaction) db.run('ROLLBACK');
}

const jobs = {
  /**
   * Copies the log into the database file, beside commits. None of them begins the log anew before `beginLog`, because
   * somebody reads from it.
   */
  copyLog(path: string) {
    const reader = connectionTo(path, 'reader');
    endTransaction(reader);
    reader.run('BEGIN');
    pragma(reader, 'user_version'); // the transaction begins with what it reads
    connectionTo(path).run('PRAGMA wal_checkpoint(PASSIVE)');
  },
  /**
   * Copies the rest, and prepares a transaction that changes nothing. Returns the version of the data as this connection
   * sees it: a commit of another one raises it.
   */
  beginLog(path: string): number {
    endTransaction(connectionTo(path, 'reader'));
    const db = connectionTo(path);
    db.run('PRAGMA wal_checkpoint(PASSIVE)');
    db.run('BEGIN IMMEDIATE');
    db.run(`PRAGMA user_version = ${pragma(db, 'user_version')}`);
    return readDataVersion(db);
  },
  /** Commits that: begins the log anew, with a sync of its header, if nobody reads from it. */
  commitLog(path: string) {
    const db = connectionTo(path);
    try {
      db.run('COMMIT');
    } finally {
      endTransaction(db);
    }
  },
  dataVersion: (path: string) => readDataVersion(connectionTo(path)),
  count: (path: string) => countNotes(connectionTo(path)),
  newest: (path: string, filter: NoteFilter, limit: number) => readNewest(connectionTo(path), filter, limit),
  createdAt: (path: string, times: readonly string[], after: number) =>
    readNotesCreatedAt(connectionTo(path), times, after),
  inspect,
  backupsIn,
  /** Copies a snapshot of a database to a new file for its owner only, synced, and inspects the copy. */
  copy(path: string, target: string) {
    using db = openToCopy(path);
    db.run('VACUUM INTO ?', [target]);
    syncLog(path); // a backup must hold no note that the database may lose
    chmodSync(target, 0o600);
    syncFile(target);
    return inspect(target, true);
  },
};

export type Jobs = typeof jobs;

export interface Job {
  readonly name: keyof Jobs;
  readonly args: readonly unknown[];
}

export type JobResult = { readonly found: unknown } | { readonly failure: { message: string; code: string } };

self.onmessage = ({ data: { name, args } }: MessageEvent<Job>) => self.postMessage(resultOf(name, args));

function resultOf(name: keyof Jobs, args: readonly unknown[]): JobResult {
  try {
    return { found: Reflect.apply(jobs[name], undefined, args) };
  } catch (error) {
    return { failure: { message: getErrorMessage(error), code: getErrorCode(error) } };
  }
}
