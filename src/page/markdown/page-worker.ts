import type { WorkerMethods } from '../../core/workers/serve-worker.ts';
import { WorkerClient, WorkerError } from '../../core/workers/worker-client.ts';
import { notifyLoadFailureOnce } from '../ui/lazy-parts.ts';
import { type PageWorkerName, startPageWorker } from './trusted-types.ts';

/** Creates a client of a worker of the page. */
export const createPageWorkerClient = <Methods extends WorkerMethods>(name: PageWorkerName) =>
  new WorkerClient<Methods>({ startWorker: () => startPageWorker(name), onCrash: notifyLoadFailureOnce });

/** For `catch` of requests: undefined if the worker was too slow or crashed, or the result is not needed any more. */
export function reportUnlessUnavailable(error: unknown, signal: AbortSignal): undefined {
  if (!(error instanceof WorkerError) && !signal.aborted) reportError(error);
}
