import { signal } from '@preact/signals';
import type { Note } from '../../domain/note.ts';
import { placeholdersIn } from '../../domain/placeholders.ts';
import { type CopySource, dialog } from '../state/dialog.ts';
import { notify } from '../state/notifications.ts';
import { displayTitle } from '../ui/format.ts';
import { writeClipboard } from './clipboard.ts';

/** The id of the note that was copied a moment ago. */
export const copiedNote = signal<number | undefined>(undefined);

/** Whether values are asked for before a text is copied. */
export type CopyMode = 'filled' | 'raw';

/** Copies the content of a note. */
export const copyNote = ({ id, title, content }: Note, mode: CopyMode = 'filled'): Promise<void> =>
  copy({ text: content, name: `“${displayTitle({ title })}”`, note: id }, mode);

/** With more names than this, a form is of no use. */
const maxNames = 50;

/** Copies a text byte for byte. Asks for the values of its placeholders first, unless `raw` or above `maxNames`. */
export async function copy(source: CopySource, mode: CopyMode = 'filled'): Promise<void> {
  const names = mode === 'filled' ? placeholdersIn(source.text).length : 0;
  if (names > 0 && names <= maxNames) dialog.value = { kind: 'fill', source };
  else await copyText(names > 0 ? { ...source, name: `${source.name} with ${names} blanks` } : source, source.text);
}

/** Copies a text made from a source, and notifies of the outcome. */
export async function copyText({ name, note }: CopySource, text: string): Promise<void> {
  if (!(await writeClipboard(text))) {
    notify('Not copied: the browser refused. Select the text and copy it by hand', { kind: 'failure' });
    return;
  }
  notify(`Copied ${name}`, { kind: 'done' });
  copiedNote.value = note;
  setTimeout(() => {
    if (copiedNote.value === note) copiedNote.value = undefined;
  }, 1_500);
}
