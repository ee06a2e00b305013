/** Lets the page open while the service is unreachable; only over https and on localhost. */
import { trustedScript } from '../markdown/trusted-types.ts';

/**
 * Rejects if the browser refuses. If a service worker served the page, only updates it: registering could bring back
 * one that has just removed itself.
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
