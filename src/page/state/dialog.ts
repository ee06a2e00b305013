import { signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import type { ReadRecord } from '../../formats/record.ts';
import { createSetter } from './signal-helpers.ts';

export interface CopySource {
  readonly text: string;
  /** The original text, if `text` is only its runnable part. */
  readonly exactText?: string;
  readonly name: string;
  /** The id of the note, if it is the whole content of one. */
  readonly noteId?: Note['id'];
}

/** What another app or page sent to the installed page. */
export interface Share {
  /** The address under which the service worker has stored it. */
  readonly key: string;
  readonly title: string;
  readonly content: string;
  readonly files: readonly File[];
  /** The host of the page that sent it; undefined if the browser does not tell, as for an app. */
  readonly senderHost: string | undefined;
}

type Dialog =
  | { readonly kind: 'fill'; readonly source: CopySource }
  | { readonly kind: 'history'; readonly note: Note['id'] }
  | { readonly kind: 'filters' }
  | { readonly kind: 'change'; readonly notes: readonly Note[] }
  | { readonly kind: 'import'; readonly records: readonly ReadRecord[] }
  | { readonly kind: 'share'; readonly share: Share }
  | { readonly kind: 'palette' }
  | { readonly kind: 'help' };

export const dialog = signal<Dialog | undefined>(undefined);

export const openDialog = (open: Dialog): void => {
  dialog.value = open;
};

export const closeDialog = createSetter(dialog, undefined);
