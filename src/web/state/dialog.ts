/** The one dialog that may be open. */
import { signal } from '@preact/signals';
import type { Note, NoteDraft } from '../../domain/note.ts';
import type { Draft } from './drafts.ts';

/** A text to be copied: a note, or a part of one. */
export interface CopySource {
  readonly text: string;
  /** What messages call it. */
  readonly name: string;
  /** The id of the note that it is the content of. */
  readonly note?: Note['id'];
}

export type Dialog =
  | { readonly kind: 'new'; readonly example?: NoteDraft; readonly draft?: Draft }
  | { readonly kind: 'fill'; readonly source: CopySource }
  | { readonly kind: 'filters' }
  | { readonly kind: 'help' };

export const dialog = signal<Dialog | undefined>(undefined);

export const closeDialog = (): void => {
  dialog.value = undefined;
};
