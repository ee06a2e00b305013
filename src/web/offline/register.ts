/** Has the browser open the page while the service is away: over https and on localhost, where it can. */
import { trustedScript } from '../markdown/trusted-types.ts';

/** Fails where the browser refuses. */
export async function registerServiceWorker(): Promise<void> {
  const script = new URL('service-worker.js', document.baseURI).href;
  await navigator.serviceWorker?.register(trustedScript(script), { updateViaCache: 'none' });
}
