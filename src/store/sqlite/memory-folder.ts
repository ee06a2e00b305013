import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorCodeOrEmpty } from '../../core/thrown-errors.ts';
import { isServiceLockHeld } from './service-lock.ts';

/** A folder for the database of a store in memory. Disposal deletes it. */
export interface MemoryFolder extends Disposable {
  readonly path: string;
}

/** Creates a folder, in memory on Linux. Also deletes those of processes that were killed before they could. */
export function createDisposableMemoryFolder(): MemoryFolder {
  const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  deleteFoldersOfEndedProcesses(parent);
  const path = mkdtempSync(join(parent, `notes-memory-${process.pid}-`));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

function deleteFoldersOfEndedProcesses(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^notes-memory-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && hasProcessEnded(Number(pid))) deleteUnlessLocked(join(parent, name));
  }
}

function hasProcessEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    return getErrorCodeOrEmpty(error) === 'ESRCH';
  }
}

/** Containers may share the folder, but not the ids of processes: a locked database is still in use. */
function deleteUnlessLocked(folder: string): void {
  try {
    if (!isServiceLockHeld(join(folder, 'notes.db'))) rmSync(folder, { recursive: true });
  } catch {} // another user's, or deleted meanwhile
}
