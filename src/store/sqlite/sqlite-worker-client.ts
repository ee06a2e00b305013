import { awaitOrAbort } from '../../core/concurrency.ts';
import { refusal } from './open-database.ts';
import { JobError } from './sqlite-errors.ts';
import type { Job, JobResult, Jobs } from './sqlite-worker.ts';

/** The end of the thread is awaited this long, in ms: a job cannot be interrupted within a statement of SQLite. */
const endMs = 2_000;

/** A second thread for what takes long on a database. It starts with the first job. */
export class Background implements AsyncDisposable {
  readonly #asked: PromiseWithResolvers<unknown>[] = [];
  #worker: Worker | undefined;

  /** Jobs run in order. Throws `JobError`. */
  ask<Name extends keyof Jobs>(name: Name, ...args: Parameters<Jobs[Name]>): Promise<ReturnType<Jobs[Name]>> {
    const asked = Promise.withResolvers<ReturnType<Jobs[Name]>>();
    this.#asked.push(asked as PromiseWithResolvers<unknown>);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ name, args } satisfies Job);
    return asked.promise;
  }

  /**
   * Rejects all jobs, ends the thread, and waits for its end, with which its connections are closed: a connection that
   * outlives the last one of the main thread would leave the log beside the database.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    worker.addEventListener('close', () => resolve());
    this.#end(new Error('The second thread was ended'));
    await Promise.race([ended, Bun.sleep(endMs)]);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url));
    worker.onmessage = ({ data }: MessageEvent<JobResult>) => {
      const asked = this.#asked.shift();
      if ('found' in data) asked?.resolve(data.found);
      else asked?.reject(new JobError(data.failure));
    };
    worker.onerror = ({ message }) => this.#end(new Error(message));
    return worker;
  }

  #end(reason: Error): void {
    for (const { reject } of this.#asked.splice(0)) reject(reason);
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/** Runs one job on a thread of its own, which ends when the signal aborts. */
export async function inBackground<Name extends keyof Jobs>(
  signal: AbortSignal | undefined,
  name: Name,
  ...args: Parameters<Jobs[Name]>
): Promise<ReturnType<Jobs[Name]>> {
  signal?.throwIfAborted();
  await using background = new Background();
  const job = background.ask(name, ...args);
  return await (signal === undefined ? job : awaitOrAbort(job, signal));
}

export const inspectDatabase = (path: string, isThorough: boolean) =>
  inBackground(undefined, 'inspect', path, isThorough).catch((error) => Promise.reject(ofJob(error, path)));

/** Explains an error of a job on the database at `path`; returns others, such as the reason of an abort, unchanged. */
export const ofJob = (error: unknown, path: string): unknown =>
  error instanceof JobError ? refusal(error, path) : error;
