import { createPageWorkerClient, reportUnlessUnavailable } from './page-worker.ts';
import type { RenderedNote, RenderJob, RenderMethods } from './render-job.ts';

/** Limit of rendering, in ms. */
const renderTimeoutMs = 5_000;

const renderWorkerClient = createPageWorkerClient<RenderMethods>('renderWorker');

/** Starts the worker early: when a note is opened, the service may be unreachable or of another version. */
export const startRenderWorker = (): void => renderWorkerClient.start();

/** Renders in a worker; undefined if that takes too long or fails, or is aborted. */
export async function renderInWorker(job: RenderJob, signal: AbortSignal): Promise<RenderedNote | undefined> {
  try {
    if (job.format !== 'css' && job.format !== 'bash')
      await renderWorkerClient.request('loadGrammars', [job.text], { signal });
    return await renderWorkerClient.request('render', [job], { signal, timeoutMs: renderTimeoutMs });
  } catch (error) {
    return reportUnlessUnavailable(error, signal);
  }
}
