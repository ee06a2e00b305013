/** The pane of the note, the editor and the dialogs: loaded after the first paint, as one script. */
import { takeShared } from './drop/shared.ts';
import { offerUnsavedDraft } from './editor/recover-drafts.tsx';
import { saveUnanswered } from './editor/save.ts';
import { startRenderer } from './markdown/renderer.ts';
import { trustedScript } from './markdown/trusted-types.ts';

export { NotePane } from './note/note-pane.tsx';
export { OpenDialog } from './open-dialog.tsx';
export { PaneDivider } from './pane-divider.tsx';
export * as verbs from './selection/verbs.ts';
export { SignIn } from './sign-in.tsx';

/** Starts what can wait until the notes are loaded. */
export function startLate(): void {
  saveUnanswered();
  offerUnsavedDraft();
  void takeShared();
  setTimeout(startRenderer, 500); // early, as the service may be away when a Markdown note is shown
  setTimeout(() => registerServiceWorker().catch(() => {}), 1_000); // optional
}

/**
 * Lets the page open while the service is unreachable; only over https and on localhost. Rejects if the browser
 * refuses. If a service worker served the page, only updates it: registering could bring back one that has just removed
 * itself.
 */
async function registerServiceWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker?.controller) {
    await (await serviceWorker.getRegistration())?.update();
    return;
  }
  const script = new URL('service-worker.js', document.baseURI).href;
  await serviceWorker?.register(trustedScript(script), { updateViaCache: 'none' });
}
