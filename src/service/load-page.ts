import { getErrorMessage } from '../core/thrown-errors.ts';
import { WorkerClient } from '../core/workers/worker-client.ts';
import type { BuildMethods } from '../page/build/build-worker.ts';
import type { PageFile } from './http/routes/page-routes.ts';

/** Builds the page from its sources on another thread, so that requests are not delayed. */
export async function loadPage(): Promise<readonly PageFile[]> {
  using builder = new WorkerClient<BuildMethods>({
    startWorker: () => new Worker(new URL('../page/build/build-worker.ts', import.meta.url)),
  });
  try {
    return await builder.request('buildPage', []);
  } catch (cause) {
    throw new Error(`The page could not be built: ${getErrorMessage(cause)}`, { cause });
  }
}
