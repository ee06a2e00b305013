/** The pane of the note, the editor and the dialogs: loaded after the first paint, as one script. */
import { PlaceholderForm } from './copy/placeholder-form.tsx';
import { resendUnansweredDrafts } from './editor/save-drafts.ts';
import { preloadContentEditor } from './editor/text-fields.tsx';
import { isReadAsCode } from './editor/text-format.ts';
import { FilterList } from './filters/filter-list.tsx';
import { HistoryDialog } from './history/history-dialog.tsx';
import { CommandPalette } from './keyboard/command-palette.tsx';
import { HelpAndSettingsDialog } from './keyboard/help-dialog.tsx';
import { codeNoteCheck } from './markdown/code-note-check.ts';
import { startRenderWorker } from './markdown/render-in-worker.ts';
import { toTrustedScriptUrl } from './markdown/trusted-types.ts';
import { createJumpItems } from './note/headings.ts';
import { createReadingItems } from './note/reading-items.ts';
import { ChangeFieldDialog } from './selection/selection-bar.tsx';
import { closeDialog, dialog } from './state/dialog.ts';
import { listedNotes } from './state/listed-notes.ts';
import { openOldestShareWhenClosed } from './state/shares.ts';
import { runWhenIdle } from './state/signal-helpers.ts';
import { loadAndWatchLabels } from './state/sync-labels.ts';
import { syncAndWatchPins } from './state/sync-pins.ts';
import { formatLocalNoteCount } from './ui/format-for-page.ts';
import { createLazyView } from './ui/lazy-parts.ts';
import { Modal } from './ui/modal.tsx';

export { createPastedDraft } from './editor/pasted-draft.ts';
export { copyWithWaitingFields } from './editor/unsaved-drafts.tsx';
export { findNamedFilter, searchWithNamedFilter } from './filters/named-filter.ts';
export { openSortMenu } from './filters/sort-menu.ts';
export { DraftRows } from './list/draft-rows.tsx';
export { showRowMenu, startLongPress as selectByLongPress } from './list/row-gestures.ts';
export { goToHeading } from './note/headings.ts';
export { goToMatch } from './note/note-matches.ts';
export { NotePane } from './note/note-pane.tsx';
export { toggleNoteArchivedAndNotify as archive } from './note/toggle-note-archived.ts';
export { PaneDivider } from './pane-divider.tsx';
export * as verbs from './selection/selection-actions.ts';
export { SelectionBar } from './selection/selection-bar.tsx';
export { SignInDialog as SignIn } from './sign-in-dialog.tsx';
export { openMenu } from './ui/menu.tsx';

export function startLateParts(): void {
  codeNoteCheck.value = isReadAsCode;
  resendUnansweredDrafts();
  loadAndWatchLabels();
  syncAndWatchPins();
  void openOldestShareWhenClosed();
  setTimeout(startRenderWorker, 500); // early, as the service may be away when a Markdown note is shown
  setTimeout(() => runWhenIdle(preloadContentEditor), 800);
  setTimeout(() => registerOrUpdateServiceWorker().catch(() => {}), 1_000); // optional
}

/** Rejects if refused. Only updates a worker that served the page: registering could bring back a removed one. */
async function registerOrUpdateServiceWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker?.controller) {
    await (await serviceWorker.getRegistration())?.update();
    return;
  }
  const script = new URL('service-worker.js', document.baseURI).href;
  await serviceWorker?.register(toTrustedScriptUrl(script), { updateViaCache: 'none' });
}

/** Rarely needed, and as large as all others together. */
const ImportDialog = createLazyView(
  () => import('./drop/import-dialog.tsx').then((part) => part.ImportDialog),
  closeDialog,
);
const ShareDialog = createLazyView(
  () => import('./drop/share-dialog.tsx').then((part) => part.ShareDialog),
  closeDialog,
);

const shownNoteItems = { createReadingItems, createJumpItems };

export function CurrentDialog() {
  const open = dialog.value;
  switch (open?.kind) {
    case 'fill':
      return <PlaceholderForm source={open.source} />;
    case 'import':
      return <ImportDialog records={open.records} />;
    case 'share':
      return <ShareDialog key={open.share.key} share={open.share} />;
    case 'change':
      return <ChangeFieldDialog notes={open.notes} />;
    case 'help':
      return <HelpAndSettingsDialog />;
    case 'palette':
      return <CommandPalette shownNoteItems={shownNoteItems} />;
    case 'history':
      return <HistoryDialog id={open.note} />;
    case 'filters':
      return <FilterSheet />;
    case undefined:
      return null;
  }
}

const FilterSheet = () => (
  <Modal title="Filters" closesOnBackdrop>
    <FilterList isAdding />
    <button type="button" class="btn btn-primary m-3 touch" onClick={closeDialog}>
      Show {formatLocalNoteCount(listedNotes.value.length)}
    </button>
  </Modal>
);
