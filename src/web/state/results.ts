/** Which notes the list shows, and how many there are of each kind. */
import { computed } from '@preact/signals';
import { groups } from '../../domain/enums.ts';
import type { Note } from '../../domain/note.ts';
import { prepare, search } from '../../domain/search.ts';
import { isBoard } from './layout.ts';
import { cursor, setCursor, urlState } from './navigation.ts';
import { loading, notes } from './notes.ts';

/** Separate signals, so that opening a note does not search again. */
const query = computed(() => urlState.value.query);
const category = computed(() => urlState.value.category);
const group = computed(() => urlState.value.group);
const archived = computed(() => urlState.value.archived);

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

/** The number of results in the archive, or outside if the archive is shown; 0 while the list has results. */
export const countElsewhere = computed(() => (results.value.length > 0 ? 0 : find(!archived.value).length));

const counts = computed(() => {
  const counts = new Map<string, number>();
  for (const note of notes.value) {
    if (note.archived !== archived.value) continue;
    for (const key of ['', note.category, note.group]) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
});

/**
 * The number of notes of a category or a group, or of all under '', within the archive or outside it, as shown; undefined
 * until the list is there.
 */
export const countOf = (value: string): number | undefined =>
  loading.value.kind === 'ready' ? (counts.value.get(value) ?? 0) : undefined;

/** The columns of the board: what was found, by group. */
export const columns = computed(() =>
  groups.map((group) => ({ group, notes: results.value.filter((note) => note.group === group) })),
);

/** The order of the cursor: down the list, or down one column of the board after the other. */
const ordered = computed(() => (isBoard.value ? columns.value.flatMap(({ notes }) => notes) : results.value));

/** The note under the cursor, by default the first one; undefined if there is none. */
export const noteAtCursor = computed(() => results.value.find((note) => note.id === cursor.value) ?? results.value[0]);

/** Moves the cursor by some rows, within the list. */
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

/** Folds the texts of all notes for the search in idle time, in slices of 8 ms. */
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
