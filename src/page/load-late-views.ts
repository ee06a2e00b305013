import { copyTextAndNotify } from './copy/copy-to-clipboard.ts';
import { closeDialog, dialog } from './state/dialog.ts';
import { waitForPaint } from './state/last-visit-database.ts';
import { editedNoteId } from './state/navigation.ts';
import { createLazyPartGetter } from './ui/lazy-parts.ts';

/** The views that are requested after the first paint, which loading and compiling them would delay. */
export const findOrLoadLateViews = createLazyPartGetter(
  () => waitForPaint().then(() => import('./late-views.tsx')),
  closeUnloadedViewsAndCopyText,
);

/** Leaves what could not be loaded. A text is copied with its placeholders, which are visible where it is pasted. */
function closeUnloadedViewsAndCopyText(): void {
  const open = dialog.value;
  editedNoteId.value = undefined;
  closeDialog();
  if (open?.kind === 'fill') void copyTextAndNotify(open.source, open.source.text);
}
