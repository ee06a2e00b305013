import type { WorkerMethods } from '../../core/workers/serve-worker.ts';
import { WorkerClient, WorkerError } from '../../core/workers/worker-client.ts';
import { notifyMissing } from '../ui/lazy.ts';
import { startWorker } from './trusted-types.ts';

/** Creates a client of a worker of the page. */
export const createPageWorker = <Methods extends WorkerMethods>(name: 'renderWorker' | 'diffWorker') =>
  new WorkerClient<Methods>({ startWorker: () => startWorker(name), onCrash: notifyMissing });

/** For `catch` of requests: undefined if the worker was too slow or crashed, or the result is not needed any more. */
export function unlessUnavailable(error: unknown, signal: AbortSignal): undefined {
  if (!(error instanceof WorkerError) && !signal.aborted) reportError(error);
}
