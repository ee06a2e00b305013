import { notifyMissing } from '../ui/lazy.ts';
import type { CodeLanguage } from './code.ts';
import { trustedScript } from './trusted-types.ts';

export interface RenderJob {
  readonly format: CodeLanguage | 'markdown';
  readonly text: string;
}

/** HTML made by micromark or highlight.js. The button with `data-block="0"` copies the first of the blocks, and so on. */
export interface Rendered {
  readonly html: string;
  /** The texts of the code blocks, without the last line end: pasted into a terminal, that would run them. */
  readonly blocks: readonly string[];
}

/** What the worker says: that it has started, then what became of each job. */
export type FromWorker = 'running' | Rendered | undefined;

/** Ordinary texts take a small part of this time, which begins when the worker runs: its script may come slowly. */
const timeoutMs = 1_000;

let worker: Worker | undefined;
let isRunning = false;
let abort = () => {};

/** Starts the worker before a note is opened: by then the service may be away, or of another version. */
export function startRenderer(): void {
  worker ??= start();
}

/** Renders a text; undefined if that takes too long, or another text is asked for meanwhile. */
export function render(job: RenderJob): Promise<Rendered | undefined> {
  abort();
  worker ??= start();
  const { promise, resolve } = Promise.withResolvers<Rendered | undefined>();
  const end = (rendered?: Rendered) => {
    clearTimeout(timer);
    abort = () => {};
    resolve(rendered);
  };
  abort = () => {
    worker?.terminate();
    worker = undefined;
    end();
  };
  const limit = () => setTimeout(() => abort(), timeoutMs);
  let timer = isRunning ? limit() : undefined;
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data !== 'running') return end(data);
    isRunning = true;
    timer = limit();
  };
  worker.postMessage(job);
  return promise;
}

/** The document holds the path of the script, which changes with its bytes. */
function start(): Worker {
  const path = document.querySelector<HTMLElement>('[data-render-worker]')?.dataset['renderWorker'] ?? '';
  const started = new Worker(trustedScript(new URL(path, document.baseURI).href));
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
