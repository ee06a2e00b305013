/** The pane of the note, the editor and the dialogs: loaded after the first paint, as one script. */

import { saveUnanswered } from './editor/form/save-when-back.ts';
import { offerUnsavedDraft } from './editor/recover-drafts.ts';
import { startRenderer } from './markdown/renderer.ts';
import { registerServiceWorker } from './offline/register.ts';

export { NotePane } from './note/note-pane.tsx';
export { OpenDialog } from './open-dialog.tsx';
export { PaneDivider } from './pane-divider.tsx';
export * as verbs from './selection/verbs.ts';
export { SignIn } from './session/sign-in.tsx';

/** Starts what can wait until the notes are loaded. */
export function startLate(): void {
  void saveUnanswered().then(offerUnsavedDraft);
  setTimeout(startRenderer, 500); // early, as the service may be away when a Markdown note is shown
  setTimeout(() => registerServiceWorker().catch(() => {}), 1_000); // optional
}
