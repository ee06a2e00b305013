/** Which notes the list shows, and how many there are of each kind. */
import { computed } from '@preact/signals';
import { groups } from '../../domain/enums.ts';
import type { Note } from '../../domain/note.ts';
import { prepare, search } from '../../domain/search.ts';
import { cursor, setCursor, urlState } from './navigation.ts';
import { notes } from './notes.ts';

/** Parts of the URL state, each by itself: opening a note must not search anew. */
const query = computed(() => urlState.value.query);
const category = computed(() => urlState.value.category);
const group = computed(() => urlState.value.group);
const archived = computed(() => urlState.value.archived);
const view = computed(() => urlState.value.view);

const matches = (note: Note, isArchived: boolean) =>
  note.archived === isArchived &&
  (category.value === undefined || note.category === category.value) &&
  (group.value === undefined || note.group === group.value);

const find = (isArchived: boolean) =>
  search(
    notes.value.filter((note) => matches(note, isArchived)),
    query.value,
  );

/** The notes that the list shows, in its order. */
export const results = computed(() => find(archived.value));

/** How many more there are on the other side, archived or not; looked for only where there is none on this one. */
export const countElsewhere = computed(() => (results.value.length > 0 ? 0 : find(!archived.value).length));

/** How many notes there are by value of category and group, among those that are archived or not, as the list shows. */
export const counts = computed(() => {
  const counts = new Map<string, number>();
  for (const note of notes.value) {
    if (note.archived !== archived.value) continue;
    for (const key of ['', note.category, note.group]) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
});

/** The columns of the board: what was found, by group. */
export const columns = computed(() =>
  groups.map((group) => ({ group, notes: results.value.filter((note) => note.group === group) })),
);

/** In the order in which the cursor goes: down the list, or down one column of the board after the other. */
const ordered = computed(() => (view.value === 'board' ? columns.value.flatMap(({ notes }) => notes) : results.value));

/** The first one that was found where nothing else was said; undefined when there is none. */
export const noteAtCursor = computed(() => results.value.find((note) => note.id === cursor.value) ?? results.value[0]);

/** Moves the cursor by some rows, as far as there are any. */
export function moveCursor(by: number): void {
  const { value: at } = noteAtCursor;
  if (at === undefined) return;
  const { value: notes } = ordered;
  const index = Math.min(Math.max(notes.indexOf(at) + by, 0), notes.length - 1);
  setCursor(notes[index]?.id);
}

/** Where the cursor goes when the note under it leaves the list: to the next row, or the last one. */
export function cursorAfter(id: number): number | undefined {
  const index = ordered.value.findIndex((note) => note.id === id);
  return (ordered.value[index + 1] ?? ordered.value[index - 1])?.id;
}

let round = 0;

/** Makes the notes that are known now ready to be searched, while nothing else is to be done. */
export function prepareWhenIdle(): void {
  const waiting = notes.value.values();
  const own = ++round;
  const idle = typeof requestIdleCallback === 'function' ? requestIdleCallback : setTimeout;
  const go = () => {
    if (own !== round) return;
    const end = performance.now() + 8;
    for (const note of waiting) {
      prepare(note);
      if (performance.now() > end) return void idle(go);
    }
  };
  idle(go);
}
