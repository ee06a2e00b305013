import { notifyMissing } from '../ui/lazy.ts';
import { startWorker } from './trusted-types.ts';

/** Messages of a worker: it is running, it is loading a chunk, or the result of a job. */
export type FromWorker<Result> = 'running' | 'loading' | Result | undefined;

/** In ms. An aborted job may end within this time: a new worker takes longer to start. */
const graceMs = 100;

/**
 * Runs jobs one at a time in the worker whose script is a data attribute of the document, as `data-render-worker`.
 * `timeoutMs`: the limit of a job, counted once the worker is running, as its script may load slowly.
 */
export function workerJobs<Job, Result>(name: 'renderWorker' | 'diffWorker', timeoutMs: number) {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isRunning = false;
  let abort = () => {};

  function newWorker(): Worker {
    const started = startWorker(name);
    isRunning = false;
    started.onmessage = () => {
      isRunning = true;
    };
    started.onerror = () => {
      if (worker !== started) return;
      notifyMissing();
      abort();
    };
    return started;
  }

  /** Runs a job after those before it; undefined after a timeout or a failure, or if aborted. */
  function run(job: Job, signal: AbortSignal): Promise<Result | undefined> {
    const result = last.then(() => (signal.aborted ? undefined : runNow(job, signal)));
    last = result;
    return result;
  }

  function runNow(job: Job, signal: AbortSignal): Promise<Result | undefined> {
    worker ??= newWorker();
    const { promise, resolve } = Promise.withResolvers<Result | undefined>();
    const hurry = () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort(), graceMs);
    };
    const end = (result?: Result) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', hurry);
      abort = () => {};
      resolve(result);
    };
    abort = () => {
      worker?.terminate();
      worker = undefined;
      end();
    };
    signal.addEventListener('abort', hurry);
    const limit = () => setTimeout(() => abort(), timeoutMs);
    let timer = isRunning ? limit() : undefined;
    worker.onmessage = ({ data }: MessageEvent<FromWorker<Result>>) => {
      clearTimeout(timer);
      if (data === 'loading') return;
      if (data !== 'running') return end(data);
      isRunning = true;
      timer = limit();
    };
    worker.postMessage(job);
    return promise;
  }

  /** Starts the worker before its first job. */
  function start(): void {
    worker ??= newWorker();
  }

  return { start, run };
}
