import { notifyMissing } from '../ui/lazy.ts';
import { startWorker } from './trusted-types.ts';

/** What a worker says: that it runs, or waits for a part of itself, and what became of each job. */
export type FromWorker<Result> = 'running' | 'loading' | Result | undefined;

/** Jobs that a worker does one at a time. */
export interface WorkerJobs<Job, Result> {
  /** Starts the worker before its first job. */
  start(): void;
  /** Does a job; undefined if that takes too long, fails, or another one is asked for meanwhile. */
  run(job: Job): Promise<Result | undefined>;
}

/**
 * Jobs for the worker whose script the document names, as `data-render-worker`. `timeoutMs`: how long a job may take;
 * it begins when the worker runs, as its script may come slowly.
 */
export function workerJobs<Job, Result>(
  name: 'renderWorker' | 'diffWorker',
  timeoutMs: number,
): WorkerJobs<Job, Result> {
  let worker: Worker | undefined;
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

  function run(job: Job): Promise<Result | undefined> {
    abort();
    worker ??= newWorker();
    const { promise, resolve } = Promise.withResolvers<Result | undefined>();
    const end = (result?: Result) => {
      clearTimeout(timer);
      abort = () => {};
      resolve(result);
    };
    abort = () => {
      worker?.terminate();
      worker = undefined;
      end();
    };
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

  return {
    start() {
      worker ??= newWorker();
    },
    run,
  };
}
