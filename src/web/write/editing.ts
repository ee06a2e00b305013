import { effect, signal } from '@preact/signals';
import { place } from '../navigation.ts';

/** The id of the note whose form is shown in place of the note: the open one, or none. */
export const editing = signal<number | undefined>(undefined);

effect(() => {
  if (editing.value !== place.value.note) editing.value = undefined;
});
