import { signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { isCodeCategory } from '../markdown/plain-text.ts';
import { createSetter } from '../state/signal-helpers.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { hasUnwrappedCode, wrapsCodeLines } from './line-wrapping.ts';

/** The id of the note that is shown as it is stored, and not rendered. */
export const rawNoteId = signal<Note['id'] | undefined>(undefined);

/** How the shown note can be read: for its menu and the palette. */
export const createReadingItems = (note: Note): readonly MenuItem[] => [
  ...(hasUnwrappedCode() ? [createWrapItem()] : []),
  ...(isCodeCategory(note.category) ? [] : [createRawItem(note)]),
];

const createWrapItem = (): MenuItem => ({
  name: wrapsCodeLines.value ? 'Do not wrap lines' : 'Wrap lines',
  icon: 'wrap',
  run: createSetter(wrapsCodeLines, !wrapsCodeLines.value),
});

function createRawItem({ id }: Note): MenuItem {
  const isRaw = rawNoteId.value === id;
  return {
    name: isRaw ? 'Show it rendered' : 'Show it raw',
    icon: 'css',
    run: createSetter(rawNoteId, isRaw ? undefined : id),
  };
}
