import type { PageFile } from './http/routes/page-routes.ts';

/** Builds the page from its sources on another thread, so that requests are not delayed. */
export function loadPage(): Promise<readonly PageFile[]> {
  const made = Promise.withResolvers<readonly PageFile[]>();
  const worker = new Worker(new URL('../page/build/worker.ts', import.meta.url));
  worker.onmessage = ({ data }: MessageEvent<readonly PageFile[]>) => made.resolve(data);
  worker.onerror = ({ message }) => made.reject(new Error(`The page could not be built: ${message}`));
  worker.addEventListener('close', () => made.reject(new Error('The page could not be built')));
  return made.promise.finally(() => worker.terminate());
}
