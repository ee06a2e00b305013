import { refusal } from '../file/database.ts';
import type { LockState } from '../file/lock.ts';
import type { Answer, Task } from './backup-worker.ts';
import type { Inspection } from './inspection.ts';

/** Copies a snapshot of a database to a new file, synced, and inspects the copy. Throws `unavailable`. */
export const copyDatabase = (path: string, copy: string, signal?: AbortSignal) =>
  ask<Inspection>({ kind: 'copy', path, copy }, signal);

/** Inspects a database without changing it. Throws `unavailable` with advice. */
export const inspectDatabase = (path: string, isThorough: boolean, signal?: AbortSignal) =>
  ask<Inspection>({ kind: 'inspect', path, isThorough }, signal);

/** Whether the database is in use, and whether a store was ever created there. */
export const inspectLock = (path: string, signal?: AbortSignal) =>
  ask<LockState>({ kind: 'inspect lock', path }, signal);

/** Runs a task on another thread, which is terminated when the signal aborts. */
async function ask<Found>(task: Task, signal?: AbortSignal): Promise<Found> {
  signal?.throwIfAborted();
  const answered = Promise.withResolvers<Answer>();
  const giveUp = () => answered.reject(signal?.reason);
  signal?.addEventListener('abort', giveUp);
  const worker = new Worker(new URL('./backup-worker.ts', import.meta.url));
  worker.onmessage = ({ data }: MessageEvent<Answer>) => answered.resolve(data);
  worker.onerror = ({ message }) => answered.reject(new Error(message));
  worker.addEventListener('close', () => answered.reject(new Error('The thread for backups has ended')));
  worker.postMessage(task);
  try {
    const answer = await answered.promise;
    if ('found' in answer) return answer.found as Found; // the type depends on the task
    throw refusal(Object.assign(new Error(answer.failure.message), answer.failure), task.path);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    worker.terminate();
  }
}
