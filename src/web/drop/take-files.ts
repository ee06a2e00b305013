import { draftOf } from '../../domain/versions.ts';
import { blank } from '../editor/blank.ts';
import { closeDialog, dialog, openDialog } from '../state/dialog.ts';
import { notify } from '../state/notifications.ts';
import { flushSync } from '../ui/focus.ts';
import { readFiles } from './read-files.ts';

/** Opens the form for a single text, the import dialog for anything else. */
export async function takeFiles(files: readonly File[]): Promise<void> {
  const { records, isText } = await readFiles(files, blank());
  const [first] = records;
  if (dialog.value?.kind === 'import') notify('Finish the import first', { kind: 'notice' });
  else if (isText && first?.kind === 'note') {
    flushSync(closeDialog); // an open form keeps its draft
    openDialog({ kind: 'new', example: draftOf(first.note) });
  } else if (records.length === 1 && first && first.kind !== 'note') {
    notify(`${first.location}: ${first.reason}`, { kind: 'notice' });
  } else if (records.length > 0) {
    openDialog({ kind: 'import', records });
  } else notify('There is nothing in it', { kind: 'notice' });
}
