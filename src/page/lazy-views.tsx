/** The pane of the note, the editor and the dialogs: loaded after the first paint, as one script. */
import { PlaceholderForm } from './copy/placeholder-form.tsx';
import { offerUnsavedDraft } from './editor/recover-drafts.tsx';
import { saveUnanswered } from './editor/save.ts';
import { Places } from './filters/places.tsx';
import { History } from './history/history.tsx';
import { Help } from './keyboard/help.tsx';
import { Palette } from './keyboard/palette.tsx';
import { startRenderer } from './markdown/renderer.ts';
import { trustedScript } from './markdown/trusted-types.ts';
import { ChangeDialog } from './selection/bar.tsx';
import { closeDialog, dialog } from './state/dialog.ts';
import { results } from './state/results.ts';
import { offerShare } from './state/shares.ts';
import { noteCount } from './ui/format.ts';
import { lazyView } from './ui/lazy.ts';
import { Modal } from './ui/modal.tsx';

export { NotePane } from './note/note-pane.tsx';
export { PaneDivider } from './pane-divider.tsx';
export { SelectionBar } from './selection/bar.tsx';
export * as verbs from './selection/verbs.ts';
export { SignIn } from './sign-in.tsx';

export function startLate(): void {
  saveUnanswered();
  offerUnsavedDraft();
  void offerShare();
  setTimeout(startRenderer, 500); // early, as the service may be away when a Markdown note is shown
  setTimeout(() => registerServiceWorker().catch(() => {}), 1_000); // optional
}

/** Rejects if refused. Only updates a worker that served the page: registering could bring back a removed one. */
async function registerServiceWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker?.controller) {
    await (await serviceWorker.getRegistration())?.update();
    return;
  }
  const script = new URL('service-worker.js', document.baseURI).href;
  await serviceWorker?.register(trustedScript(script), { updateViaCache: 'none' });
}

/** Rarely needed, and as large as all others together. */
const ImportDialog = lazyView(() => import('./drop/import-dialog.tsx').then((part) => part.ImportDialog), closeDialog);
const ShareDialog = lazyView(() => import('./drop/share-dialog.tsx').then((part) => part.ShareDialog), closeDialog);

export function OpenDialog() {
  const open = dialog.value;
  switch (open?.kind) {
    case 'fill':
      return <PlaceholderForm source={open.source} />;
    case 'import':
      return <ImportDialog records={open.records} />;
    case 'share':
      return <ShareDialog key={open.share.key} share={open.share} />;
    case 'change':
      return <ChangeDialog notes={open.notes} />;
    case 'help':
      return <Help />;
    case 'palette':
      return <Palette />;
    case 'history':
      return <History id={open.note} />;
    case 'filters':
      return <FilterSheet />;
    case undefined:
      return null;
  }
}

const FilterSheet = () => (
  <Modal title="Filters" closesOnBackdrop>
    <Places isAdding />
    <button type="button" class="btn btn-primary m-3 touch" onClick={closeDialog}>
      Show {noteCount(results.value.length)}
    </button>
  </Modal>
);
