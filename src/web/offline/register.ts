/** Has the browser open the page while the service is away: over https and on localhost, where it can. */
import { trustedScript } from '../markdown/trusted-types.ts';

/**
 * Fails where the browser refuses. Where the page came through a service worker, to register would bring back one that has
 * just removed itself.
 */
export async function registerServiceWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker?.controller) {
    await (await serviceWorker.getRegistration())?.update();
    return;
  }
  const script = new URL('service-worker.js', document.baseURI).href;
  await serviceWorker?.register(trustedScript(script), { updateViaCache: 'none' });
}
