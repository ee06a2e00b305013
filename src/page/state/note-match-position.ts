/** Which match of the search the shown note is at. */
import { signal } from '@preact/signals';

/** `index` is counted from 0. */
export interface NoteMatchPosition {
  readonly index: number;
  readonly count: number;
}

/** Undefined while there are no words in the search, or no match in the text of the shown note. */
export const noteMatchPosition = signal<NoteMatchPosition>();
