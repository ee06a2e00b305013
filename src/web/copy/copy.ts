import { signal } from '@preact/signals';
import type { Note } from '../../domain/note.ts';
import { placeholdersIn } from '../../domain/placeholders.ts';
import { dialog, type Piece } from '../state/dialog.ts';
import { say } from '../state/notifications.ts';
import { shownTitle } from '../ui/format.ts';
import { copyText } from './clipboard.ts';

/** The id of the note that was copied a moment ago. */
export const justCopied = signal<number | undefined>(undefined);

/** Whether values are asked for before a text is copied. */
export type Form = 'filled' | 'raw';

/** Copies the content of a note. */
export const copyNote = ({ id, title, content }: Note, form: Form = 'filled'): Promise<void> =>
  copy({ text: content, name: `“${shownTitle({ title })}”`, note: id }, form);

/** Nobody fills in more than so many. */
const mostNames = 50;

/** Copies a text byte for byte. Values of its placeholders are asked for before, unless it is wanted raw or has very many. */
export async function copy(piece: Piece, form: Form = 'filled'): Promise<void> {
  const names = form === 'filled' ? placeholdersIn(piece.text).length : 0;
  if (names > 0 && names <= mostNames) dialog.value = { kind: 'fill', piece };
  else await copyAs(piece, piece.text);
}

/** Copies a text that was made of a piece, and says so, or that it failed. */
export async function copyAs({ name, note }: Piece, text: string): Promise<void> {
  if (!(await copyText(text))) {
    say('Not copied: the browser refused. Select the text and copy it by hand', { kind: 'failure' });
    return;
  }
  say(`Copied ${name}`, { kind: 'done' });
  justCopied.value = note;
  setTimeout(() => {
    if (justCopied.value === note) justCopied.value = undefined;
  }, 1_500);
}
