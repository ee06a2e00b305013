import type { CodeLanguage } from './code.ts';
import { workerJobs } from './worker-jobs.ts';

export interface RenderJob {
  readonly format: CodeLanguage | 'markdown';
  readonly text: string;
}

/** HTML from micromark or highlight.js. The button with `data-block="0"` copies `blocks[0]`, and so on. */
export interface Rendered {
  readonly html: string;
  /** The texts of the code blocks, without the last line end, which would run them when pasted into a terminal. */
  readonly blocks: readonly string[];
}

/** Ordinary texts take a fraction of this. */
const timeoutMs = 1_000;

/**
 * Renders a text; undefined after a timeout, or if aborted. The worker is started early: when a note is opened, the
 * service may be unreachable or of another version.
 */
export const { start: startRenderer, run: render } = workerJobs<RenderJob, Rendered>('renderWorker', timeoutMs);
