import { WorkerClient } from '../../core/workers/worker-client.ts';
import { toOpenNoteError } from './open-error.ts';
import { WorkerDatabaseError, workerErrorCodec } from './sqlite-errors.ts';
import type { SqliteWorkerMethods } from './sqlite-worker.ts';

type Args<Name extends keyof SqliteWorkerMethods> = Parameters<SqliteWorkerMethods[Name]>;
type Result<Name extends keyof SqliteWorkerMethods> = Promise<ReturnType<SqliteWorkerMethods[Name]>>;

/** How long to wait for the end of the thread, in ms: a statement of SQLite that runs on it cannot be interrupted. */
const maxEndMs = 2_000;

/** Requests methods of `sqlite-worker.ts` on a thread of its own, which starts with the first request. */
export class SqliteWorkerClient implements AsyncDisposable {
  /** Resolves when the newest thread has ended; undefined before the first request. */
  #threadEnd: Promise<void> | undefined;
  readonly #client = new WorkerClient<SqliteWorkerMethods>({
    startWorker: () => this.#startThread(),
    codecs: [workerErrorCodec],
    maxWaiting: Number.POSITIVE_INFINITY, // callers limit their requests
  });

  /** Requests run in the order of the calls. Throws `WorkerDatabaseError` if the method throws. */
  request<Name extends keyof SqliteWorkerMethods>(method: Name, args: Args<Name>, signal?: AbortSignal): Result<Name> {
    return this.#client.request(method, args, signal && { signal }) as Result<Name>;
  }

  /**
   * Rejects all requests, ends the thread and waits for its end, with which its connections are closed: one that
   * outlives the last connection of the main thread would leave the write-ahead log beside the database.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    if (this.#threadEnd !== undefined) await Promise.race([this.#threadEnd, Bun.sleep(maxEndMs)]);
  }

  #startThread(): Worker {
    const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url));
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.addEventListener('close', () => resolve());
    this.#threadEnd = promise;
    return worker;
  }
}

/** Requests one method on a new thread, and ends the thread after it, or when the signal aborts. */
export async function requestOnNewThread<Name extends keyof SqliteWorkerMethods>(
  signal: AbortSignal | undefined,
  method: Name,
  args: Args<Name>,
): Result<Name> {
  signal?.throwIfAborted();
  await using client = new SqliteWorkerClient();
  return await client.request(method, args, signal);
}

/** Inspects a database on a new thread. Throws `NoteError` with advice. */
export const inspectOnNewThread = (path: string, isThorough: boolean) =>
  requestOnNewThread(undefined, 'inspectDatabase', [path, isThorough]).catch((error) =>
    Promise.reject(toWorkerOpenError(error, path)),
  );

/** Explains an error of a request that opened the database at `path`; returns others, such as aborts, unchanged. */
export const toWorkerOpenError = (error: unknown, path: string): unknown =>
  error instanceof WorkerDatabaseError ? toOpenNoteError(error, path) : error;
