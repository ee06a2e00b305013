import { pickDraftFields } from '../../core/versions.ts';
import { dialog, openDialog } from '../state/dialog.ts';
import { notify } from '../state/notifications.ts';
import { createEmptyDraft, openNewNoteWithUserText } from '../ui/new-note.ts';
import type { DroppedItem } from './open-dropped-item.ts';
import { readDroppedItems } from './read-dropped-items.ts';

/** Texts that were dropped beside files are neither. */
export const isDroppedItem = (one: File | FileSystemEntry | null): one is DroppedItem =>
  one instanceof File || one?.isDirectory === true;

export async function readFilesAndOpenImport(dropped: readonly DroppedItem[]): Promise<void> {
  const { category, group } = createEmptyDraft();
  const records = await readDroppedItems(dropped, category);
  const [first] = records;
  const file = dropped.length === 1 && dropped[0] instanceof File ? dropped[0] : undefined;
  const note = first?.kind === 'note' && records.length === 1 ? first.note : undefined;
  const isText = note !== undefined && file !== undefined && note.content === (await file.text());
  if (dialog.value?.kind === 'import') notify('Finish the import first', { kind: 'notice' });
  else if (isText)
    openNewNoteWithUserText(pickDraftFields({ ...note, group })); // an open form keeps its draft
  else if (records.length === 1 && first && first.kind !== 'note') {
    notify(`${first.location}: ${first.reason}`, { kind: 'notice' });
  } else if (records.length > 0) {
    openDialog({ kind: 'import', records });
  } else notify('There is nothing in it', { kind: 'notice' });
}

/** Says, while files are dragged over the page, that they can be dropped. A popover lies above open dialogs. */
const dropHint = Object.assign(document.createElement('p'), {
  className: 'drop-hint',
  popover: 'manual',
  textContent: 'Drop files to make notes of them',
});
document.body.append(dropHint);

/** In ms. Browsers repeat dragover at least every 350 ms, but do not report each end of a drag. */
const dropHintLifetimeMs = 700;
let dropHintTimer: ReturnType<typeof setTimeout> | undefined;

export function showDropHintBriefly(): void {
  clearTimeout(dropHintTimer);
  dropHintTimer = setTimeout(hideDropHint, dropHintLifetimeMs);
  dropHint.togglePopover(true);
}

const hideDropHint = () => dropHint.togglePopover(false);

window.addEventListener('drop', hideDropHint);
window.addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) hideDropHint();
});
