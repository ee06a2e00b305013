import type { Note } from '../../core/note.ts';

/**
 * The sections of the list from top to bottom. `sorted` has the notes of no other section, in the order of the list.
 */
export interface ListSection {
  readonly name: 'pinned' | 'copied' | 'sorted';
  readonly notes: readonly Note[];
}

/**
 * Splits notes into the sections that are not empty. The ids say which notes a section has, and in which order; a note
 * is in the first section that names it, and ids of other notes are passed over.
 *
 * For example, with the notes 1 to 5, pinned ids [4, 9, 2] and copied ids [2, 3], the sections have [4, 2], [3], [1,
 * 5].
 */
export function createListSections(
  notes: readonly Note[],
  ids: Readonly<Record<'pinned' | 'copied', readonly Note['id'][]>>,
): readonly ListSection[] {
  const wanted = new Set([...ids.pinned, ...ids.copied]);
  const firstNotes = wanted.size === 0 ? [] : notes.filter(({ id }) => wanted.has(id));
  const remaining = new Map(firstNotes.map((note) => [note.id, note]));
  const moveNotes = (moved: readonly Note['id'][]) =>
    moved.flatMap((id) => {
      const note = remaining.get(id);
      remaining.delete(id);
      return note ?? [];
    });
  const sections: readonly ListSection[] = [
    { name: 'pinned', notes: moveNotes(ids.pinned) },
    { name: 'copied', notes: moveNotes(ids.copied) },
    { name: 'sorted', notes: firstNotes.length === 0 ? notes : notes.filter(({ id }) => !wanted.has(id)) },
  ];
  return sections.filter((section) => section.notes.length > 0);
}
