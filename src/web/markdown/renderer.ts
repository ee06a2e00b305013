import type { CodeLanguage } from './code.ts';
import { workerJobs } from './worker-jobs.ts';

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

/** Ordinary texts take a small part of this time. */
const timeoutMs = 1_000;

const jobs = workerJobs<RenderJob, Rendered>('renderWorker', timeoutMs);

/** Starts the worker before a note is opened: by then the service may be away, or of another version. */
export const startRenderer = jobs.start;

/** Renders a text; undefined if that takes too long, or another text is asked for meanwhile. */
export const render = jobs.run;
