import { refusal } from '../file/database.ts';
import type { LockState } from '../file/lock.ts';
import type { Inspection } from './inspection.ts';

/** A request to the thread about the database at `path`. */
export type Task =
  | { readonly kind: 'copy'; readonly path: string; readonly copy: string }
  | { readonly kind: 'inspect'; readonly path: string; readonly isThorough: boolean }
  | { readonly kind: 'look'; readonly path: string };

/** What it found, as the task asks for, or what went wrong. */
export type Answer =
  | { readonly found: Inspection | LockState }
  | { readonly failure: { readonly message: string; readonly code?: string } };

/** Copies a database, as it is at one moment, into a new file, on disk, and inspects the copy. Fails with `unavailable`. */
export const copyDatabase = (path: string, copy: string, signal?: AbortSignal) =>
  ask<Inspection>({ kind: 'copy', path, copy }, signal);

/** What a database is found to be; it is not changed. Fails with `unavailable`, saying what to do. */
export const inspectDatabase = (path: string, isThorough: boolean, signal?: AbortSignal) =>
  ask<Inspection>({ kind: 'inspect', path, isThorough }, signal);

/** Whether a service or a command holds the database now, and whether there ever was one. */
export const inspectLock = (path: string, signal?: AbortSignal) => ask<LockState>({ kind: 'look', path }, signal);

/** Does a task on another thread, which is given up when the signal says so. */
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
    if ('found' in answer) return answer.found as Found; // as the task asks for
    throw refusal(Object.assign(new Error(answer.failure.message), answer.failure), task.path);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    worker.terminate();
  }
}
