/** Thread that copies or inspects a database, since either may take seconds. See backup-thread.ts. */

import { Database, SQLiteError } from 'bun:sqlite';
import { chmodSync } from 'node:fs';
import { messageOf } from '../../../shared/thrown.ts';
import { syncFile } from '../../sync.ts';
import { type LockState, lockStateOf } from '../file/lock.ts';
import { refusePlanted } from '../file/own-files.ts';
import { type Inspection, inspect } from './inspection.ts';

declare const self: Worker;

/** A request to the thread for the database at `path`. */
export type Task =
  | { readonly kind: 'copy'; readonly path: string; readonly copy: string }
  | { readonly kind: 'inspect'; readonly path: string; readonly isThorough: boolean }
  | { readonly kind: 'inspect lock'; readonly path: string };

export type Answer =
  | { readonly found: Inspection | LockState }
  | { readonly failure: { readonly message: string; readonly code?: string } };

self.onmessage = ({ data: task }: MessageEvent<Task>) => self.postMessage(answerTo(task));

function answerTo(task: Task): Answer {
  try {
    if (task.kind === 'inspect lock') return { found: lockStateOf(task.path) };
    refusePlanted(task.path);
    if (task.kind === 'inspect') return { found: inspect(task.path, task.isThorough) };
    copy(task.path, task.copy);
    return { found: inspect(task.copy, true) };
  } catch (error) {
    const message = messageOf(error);
    return { failure: { message, ...(error instanceof SQLiteError && { code: error.code ?? '' }) } };
  }
}

/** Syncs the copy and makes it readable by its owner only. */
function copy(path: string, target: string): void {
  using db = new Database(path, { create: false, readwrite: true });
  db.run('PRAGMA busy_timeout = 5000');
  db.run('VACUUM INTO ?', [target]);
  chmodSync(target, 0o600);
  syncFile(target);
}
