/** The second thread: what takes long on a database, on connections of its own. See background.ts. */
import { Database } from 'bun:sqlite';
import { chmodSync } from 'node:fs';
import type { NoteFilter } from '../../core/note.ts';
import { codeOf, messageOf } from '../../core/tools/thrown.ts';
import { syncFile, syncLog } from '../sync.ts';
import { backupsIn } from './backup/backup-names.ts';
import { inspect } from './backup/inspection.ts';
import { openToCopy } from './database.ts';
import { countNotes, readNewest } from './sqlite-reads.ts';

declare const self: Worker;

const connections = new Map<string, Database>();

const connectionTo = (path: string): Database =>
  connections.getOrInsertComputed(path, () => {
    const db = new Database(path, { create: false, readwrite: true });
    db.run('PRAGMA synchronous = NORMAL'); // a checkpoint then syncs the log first, and the database file after
    db.run('PRAGMA checkpoint_fullfsync = ON');
    return db;
  });

const jobs = {
  /** Copies the log into the database file, as far as readers permit. */
  checkpoint: (path: string) => connectionTo(path).run('PRAGMA wal_checkpoint(PASSIVE)'),
  count: (path: string) => countNotes(connectionTo(path)),
  newest: (path: string, filter: NoteFilter, limit: number) => readNewest(connectionTo(path), filter, limit),
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
    return { failure: { message: messageOf(error), code: codeOf(error) } };
  }
}
