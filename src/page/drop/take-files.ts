import { pickDraft } from '../../core/versions.ts';
import { dialog, openDialog } from '../state/dialog.ts';
import { notify } from '../state/notifications.ts';
import { blank, openNew } from '../ui/new-note.ts';
import type { Dropped } from './open-dropped.ts';
import { readFiles } from './read-files.ts';

/** Texts that were dropped beside files are neither. */
export const isDropped = (one: File | FileSystemEntry | null): one is Dropped =>
  one instanceof File || one?.isDirectory === true;

export async function takeFiles(dropped: readonly Dropped[]): Promise<void> {
  const { category, group } = blank();
  const records = await readFiles(dropped, category);
  const [first] = records;
  const file = dropped.length === 1 && dropped[0] instanceof File ? dropped[0] : undefined;
  const note = first?.kind === 'note' && records.length === 1 ? first.note : undefined;
  const isText = note !== undefined && file !== undefined && note.content === (await file.text());
  if (dialog.value?.kind === 'import') notify('Finish the import first', { kind: 'notice' });
  else if (isText)
    openNew(pickDraft({ ...note, group })); // an open form keeps its draft
  else if (records.length === 1 && first && first.kind !== 'note') {
    notify(`${first.location}: ${first.reason}`, { kind: 'notice' });
  } else if (records.length > 0) {
    openDialog({ kind: 'import', records });
  } else notify('There is nothing in it', { kind: 'notice' });
}

/** Says, while files are dragged over the page, that they can be dropped. A popover lies above open dialogs. */
const hint = Object.assign(document.createElement('p'), {
  className: 'drop-hint',
  popover: 'manual',
  textContent: 'Drop files to make notes of them',
});
document.body.append(hint);

/** In ms. Browsers repeat dragover at least every 350 ms, but do not report each end of a drag. */
const lifetimeMs = 700;
let timer: ReturnType<typeof setTimeout> | undefined;

export function showDropHint(): void {
  clearTimeout(timer);
  timer = setTimeout(hide, lifetimeMs);
  hint.togglePopover(true);
}

const hide = () => hint.togglePopover(false);

window.addEventListener('drop', hide);
window.addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) hide();
});
