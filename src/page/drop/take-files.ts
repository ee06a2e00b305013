import { draftOf } from '../../core/versions.ts';
import { blank } from '../editor/commands.ts';
import { dialog, openDialog } from '../state/dialog.ts';
import { notify } from '../state/notifications.ts';
import { openNew } from '../ui/open-note.ts';
import { readFiles } from './read-files.ts';

/** Opens the form for a single text, the import dialog for anything else. */
export async function takeFiles(files: readonly File[]): Promise<void> {
  const { category, group } = blank();
  const records = await readFiles(files, category);
  const [first] = records;
  const note = first?.kind === 'note' && files.length === 1 ? first.note : undefined;
  const isText = note !== undefined && records.length === 1 && note.content === (await files[0]?.text());
  if (dialog.value?.kind === 'import') notify('Finish the import first', { kind: 'notice' });
  else if (isText)
    openNew(draftOf({ ...note, group })); // an open form keeps its draft
  else if (records.length === 1 && first && first.kind !== 'note') {
    notify(`${first.location}: ${first.reason}`, { kind: 'notice' });
  } else if (records.length > 0) {
    openDialog({ kind: 'import', records });
  } else notify('There is nothing in it', { kind: 'notice' });
}
