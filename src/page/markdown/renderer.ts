import { createPageWorker, unlessUnavailable } from './page-worker.ts';
import type { Rendered, RenderJob, RenderMethods } from './render-job.ts';

/** Limit of rendering, in ms. */
const timeoutMs = 1_000;

const renderer = createPageWorker<RenderMethods>('renderWorker');

/** Starts the worker early: when a note is opened, the service may be unreachable or of another version. */
export const startRenderer = (): void => renderer.start();

/** Renders in a worker; undefined if that takes too long or fails, or is aborted. */
export async function render(job: RenderJob, signal: AbortSignal): Promise<Rendered | undefined> {
  try {
    if (job.format === 'markdown') await renderer.request('loadGrammars', [job.text], { signal });
    return await renderer.request('render', [job], { signal, timeoutMs });
  } catch (error) {
    return unlessUnavailable(error, signal);
  }
}
