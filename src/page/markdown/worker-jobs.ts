import { notifyMissing } from '../ui/lazy.ts';
import type { CodeLanguage } from './code.ts';
import { startWorker } from './trusted-types.ts';

/** Messages of a worker: it is running, it is loading a chunk, or the result of a job. */
export type FromWorker<Result> = 'running' | 'loading' | Result | undefined;

/** In ms. An aborted job may end within this time: a new worker takes longer to start. */
const graceMs = 100;

/** Runs jobs one at a time. `timeoutMs`: of a job, once the worker is running, as its script may load slowly. */
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

  const start = () => {
    worker ??= newWorker();
  };

  return { start, run };
}

export type RenderJob = Readonly<{ format: CodeLanguage | 'markdown'; text: string }>;

/** HTML from micromark or highlight.js. The button with `data-block="0"` copies `blocks[0]`, and so on. */
export interface Rendered {
  readonly html: string;
  /** The texts of the code blocks, without the last line end, which would run them when pasted into a terminal. */
  readonly blocks: readonly string[];
}

/** Started early: when a note is opened, the service may be unreachable or of another version. */
export const { start: startRenderer, run: render } = workerJobs<RenderJob, Rendered>('renderWorker', 1_000);
