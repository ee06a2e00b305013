/** Which notes the list shows, and how many there are of each kind. */
import { computed, effect, signal } from '@preact/signals';
import { groups } from '../../domain/enums.ts';
import type { Note } from '../../domain/note.ts';
import { type FilterName, filterNames, passes, unfinishedIn } from '../../domain/query.ts';
import { prepare } from '../../domain/search.ts';
import { labels } from './labels/labels.ts';
import { isBoard } from './layout.ts';
import { cursor, setCursor, urlState } from './navigation.ts';
import { loading, notes } from './notes.ts';
import { copies, oftenCopied, updateOftenCopied } from './order/often-copied.ts';
import { pinned } from './order/pinned.ts';
import { type Line, typedSearch } from './order/typed-search.ts';
import { takeFilters } from './url-state.ts';

const chosen = computed(() => takeFilters(urlState.value, labels.value));

/** Separate signals, so that opening a note does not search again. */
const query = computed(() => chosen.value.query);
const category = computed(() => chosen.value.category);
const group = computed(() => chosen.value.group);
const color = computed(() => chosen.value.color);
const archived = computed(() => chosen.value.archived);
const onlyPinned = computed(() => urlState.value.pinned);

/** The filters that are chosen, and those that stand in the text of the search. */
export const filters = computed(() => ({
  category: category.value,
  group: group.value,
  color: color.value,
  archived: archived.value,
}));

/** What is searched for. */
export const line = computed(
  (): Line => ({ query: query.value, before: unfinishedIn(query.value, labels.value)?.before }),
);

/** What a thread has found for a line: the ids of the notes, the best first, or all of the list. */
export interface FoundThere {
  readonly query: string;
  readonly words: string;
  readonly ids?: Float64Array<ArrayBuffer>;
}

/** What was found last where a thread searches, as it does long lists; else undefined. */
export const foundThere = signal<FoundThere>();

/** Leaves the search to a thread: until it has found something, a search shows nothing, and else there are all notes. */
export function searchThere(): void {
  foundThere.value = { query: '', words: '', ...(query.value && { ids: new Float64Array() }) };
}

/** Whether the thread has not found yet what is typed. */
export const isSearching = computed(() => (foundThere.value?.query ?? query.value) !== query.value);

/** Whether the list is there, and was searched for what the page was opened with. */
export const isThere = computed(
  () => loading.value.kind === 'ready' && !(foundThere.value?.ids && foundThere.value.query === ''),
);

const searchHere = computed(() => typedSearch(notes.value));
const byId = computed(() => new Map(notes.value.map((note) => [note.id, note])));

/** What the search finds among all notes. */
const found = computed(() => {
  const { value: there } = foundThere;
  if (!there) return searchHere.value(line.value);
  if (!there.ids) return { words: there.words, notes: notes.value };
  const known: Note[] = [];
  for (const id of there.ids) {
    const note = byId.value.get(id);
    if (note) known.push(note);
  }
  return { words: there.words, notes: known };
});

/** The words that were searched for. */
export const words = computed(() => found.value.words);

/**
 * The notes that pass the filters, and how many there are of each value: a note counts for a filter when it passes the others.
 * Filters have no values in common.
 */
const filtered = computed(() => {
  const { value: chosen } = filters;
  const narrowing = filterNames.filter((name) => name === 'archived' || chosen[name].length > 0);
  const passing: Note[] = [];
  const counts = new Map<Note[FilterName] | 'pinned', { count: number }>();
  const count = (value: Note[FilterName] | 'pinned') => {
    const known = counts.get(value);
    if (known) known.count++;
    else counts.set(value, { count: 1 });
  };
  for (const note of found.value.notes) {
    const isPinned = pinned.value.has(note.id);
    const isRefused = onlyPinned.value && !isPinned;
    let refusals = isRefused ? 1 : 0;
    let refusing: FilterName | undefined;
    for (const name of narrowing) {
      if (passes(chosen, name, note)) continue;
      refusals++;
      refusing = name;
    }
    if (refusals === 0) passing.push(note);
    if (refusals > 1) continue;
    if (isPinned && !refusing) count('pinned');
    if (isRefused) continue;
    if (refusing) count(note[refusing]);
    else for (const name of filterNames) count(note[name]);
  }
  return { passing, counts };
});

/** Whether no filter is chosen. */
export const isFree = computed(
  () => !archived.value && !onlyPinned.value && [category, group, color].every(({ value }) => value.length === 0),
);

/** Whether all notes outside of the archive are shown as a list. */
const isUnfiltered = computed(() => isFree.value && query.value === '' && !isBoard.value);

effect(() => {
  void copies.value;
  if (!isUnfiltered.value || document.hidden) updateOftenCopied();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) updateOftenCopied();
});

/** The notes that the list shows, in its order: the one that was changed last, or that fits best, comes first. */
export const results = computed(() =>
  isUnfiltered.value ? withFirst(filtered.value.passing, oftenCopied.value) : filtered.value.passing,
);

function withFirst(notes: readonly Note[], ids: readonly number[]): readonly Note[] {
  const first = ids.flatMap((id) => notes.find((note) => note.id === id) ?? []);
  return first.length === 0 ? notes : [...first, ...notes.filter((note) => !first.includes(note))];
}

/** How many notes the search finds with a value of a filter, under the other filters; undefined until it has searched. */
export const countOf = (value: Note[FilterName] | 'pinned'): number | undefined =>
  isThere.value ? (filtered.value.counts.get(value)?.count ?? 0) : undefined;

/** How many notes the search finds without any filter, inside and outside of the archive. */
export const unfilteredCounts = computed(() => {
  const all = found.value.notes;
  const active = all.reduce((sum, note) => sum + (note.archived ? 0 : 1), 0);
  return { active, archived: all.length - active };
});

/** The columns of the board: what was found, by group. */
export const columns = computed(() =>
  groups.map((group) => ({ group, notes: results.value.filter((note) => note.group === group) })),
);

/** The order of the cursor: down the list, or down one column of the board after the other. */
export const ordered = computed(() => (isBoard.value ? columns.value.flatMap(({ notes }) => notes) : results.value));

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
