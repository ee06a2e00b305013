/**
 * The module of a worker: it runs, on connections of its own, what would block the event loop for long. See
 * `SqliteWorkerClient`, which requests its methods.
 */

import { Database } from 'bun:sqlite';
import { chmodSync } from 'node:fs';
import type { NoteFilter } from '../../core/note.ts';
import { serveWorkerMethods } from '../../core/workers/serve-worker.ts';
import { syncFile, syncWriteAheadLog } from '../fsync.ts';
import { findBackupsUnsorted } from './backup/backup-names.ts';
import { inspectDatabase } from './backup/inspect-database.ts';
import { countLogPages, type LogPageCounts } from './checkpoint-scheduler.ts';
import { recoverAndOpenForCopying } from './open-sqlite-database.ts';
import { readNumericPragmaOrZero } from './schema-checks.ts';
import { workerErrorCodec } from './sqlite-errors.ts';
import { countAllNotes, readCreatedNotesPage, readDataVersion, readLastChangedNotesAndTotal } from './sqlite-reads.ts';

declare const self: Worker;

/** `writer` runs scans and checkpoints. A transaction that `reader` holds open keeps SQLite from restarting the log. */
type Role = 'writer' | 'reader';

const connections = new Map<string, Database>();

/** Returns the connection of this worker to a database, and opens it the first time. It stays open. */
const getOrOpenConnection = (path: string, role: Role = 'writer'): Database =>
  connections.getOrInsertComputed(`${role} ${path}`, () => {
    const db = new Database(path, { create: false, readwrite: true });
    db.run('PRAGMA synchronous = NORMAL'); // a checkpoint then syncs the log first, and the database file after it
    db.run('PRAGMA checkpoint_fullfsync = ON');
    return db;
  });

function rollBackOpenTransaction(db: Database): void {
  if (db.inTransaction) db.run('ROLLBACK');
}

const methods = {
  /**
   * Copies pages of the write-ahead log into the database file, while other connections commit. Leaves a read
   * transaction open until `prepareLogRestart`: as long as somebody reads from the log, no commit of another connection
   * restarts it, which would sync its header on the event loop. Returns the counts of pages after it.
   */
  copyLogAndPreventRestart(path: string): LogPageCounts {
    const reader = getOrOpenConnection(path, 'reader');
    rollBackOpenTransaction(reader);
    reader.run('BEGIN');
    readNumericPragmaOrZero(reader, 'user_version'); // a transaction begins with its first read
    const db = getOrOpenConnection(path);
    db.run('PRAGMA wal_checkpoint(PASSIVE)');
    return countLogPages(db);
  },
  /**
   * Copies the remaining pages, and opens a write transaction that changes nothing. Returns the data version before it:
   * a commit of another connection would raise it.
   */
  prepareLogRestart(path: string): number {
    rollBackOpenTransaction(getOrOpenConnection(path, 'reader'));
    const db = getOrOpenConnection(path);
    db.run('PRAGMA wal_checkpoint(PASSIVE)');
    db.run('BEGIN IMMEDIATE');
    db.run(`PRAGMA user_version = ${readNumericPragmaOrZero(db, 'user_version')}`);
    return readDataVersion(db);
  },
  /**
   * Commits the transaction of `prepareLogRestart`. All pages of the log have been copied, so SQLite restarts the log
   * (it writes from its beginning again, and syncs its header) unless somebody reads from it.
   */
  commitLogRestart(path: string): void {
    const db = getOrOpenConnection(path);
    try {
      db.run('COMMIT');
    } finally {
      rollBackOpenTransaction(db);
    }
  },
  readDataVersion: (path: string) => readDataVersion(getOrOpenConnection(path)),
  countNotes: (path: string) => countAllNotes(getOrOpenConnection(path)),
  readLastChangedNotesAndTotal: (path: string, filter: NoteFilter, limit: number) =>
    readLastChangedNotesAndTotal(getOrOpenConnection(path), filter, limit),
  readCreatedNotesPage: (path: string, times: readonly string[], afterId: number) =>
    readCreatedNotesPage(getOrOpenConnection(path), times, afterId),
  inspectDatabase,
  listBackups: findBackupsUnsorted,
  /** Copies a snapshot of a database to a new file for its owner only, syncs it, and inspects the copy. */
  copyAndInspectDatabase(path: string, target: string) {
    using db = recoverAndOpenForCopying(path);
    db.run('VACUUM INTO ?', [target]);
    syncWriteAheadLog(path); // a backup must hold no note that the database may lose
    chmodSync(target, 0o600);
    syncFile(target);
    return inspectDatabase(target, true);
  },
};

export type SqliteWorkerMethods = typeof methods;

serveWorkerMethods(self, methods, [workerErrorCodec]);
