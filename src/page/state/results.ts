import { computed, effect, signal } from '@preact/signals';
import { groups } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { cacheFoldedText } from '../../core/search.ts';
import { completeFilter, type FilterName, filterNames, passesFilter } from '../../core/search-line.ts';
import { whenIdle } from './effects.ts';
import { copies, oftenCopied, pinned, updateOftenCopied } from './favourites.ts';
import { labels } from './labels.ts';
import { isBoard } from './layout.ts';
import { cursor, setCursor, urlState } from './navigation.ts';
import { loading, notes } from './notes.ts';
import { type TypedLine, typedSearch } from './typed-search.ts';
import { takeFilters } from './url-state.ts';

const chosen = computed(() => takeFilters(urlState.value, labels.value));

/** Separate signals, so that opening a note does not search again. */
const query = computed(() => chosen.value.query);
const category = computed(() => chosen.value.category);
const group = computed(() => chosen.value.group);
const color = computed(() => chosen.value.color);
const archived = computed(() => chosen.value.archived);
export const onlyPinned = computed(() => urlState.value.pinned);

export const filters = computed(() => ({
  category: category.value,
  group: group.value,
  color: color.value,
  archived: archived.value,
}));

/** The line to search for: without `c:` or `g:` being typed; notes may contain the longer names. */
export const line = computed((): TypedLine => {
  const { before, after } = completeFilter(query.value, labels.value) ?? {};
  if (before === undefined || after !== '') return { query: query.value };
  const isShort = /^[cg]:/i.test(query.value.slice(before.length));
  return isShort ? { query: before } : { query: query.value, before };
});

/** The results of the search worker for a line: ids, best first, or all notes if undefined. */
export interface WorkerResults {
  readonly query: string;
  readonly words: string;
  readonly ids?: Float64Array<ArrayBuffer>;
}

/** The last results of the search worker; undefined while the page searches itself. */
export const workerResults = signal<WorkerResults>();

/** Leaves searching to the worker. Until its first answer, a search shows nothing, and no search shows all notes. */
export function searchInWorker(): void {
  workerResults.value = { query: '', words: '', ...(query.value && { ids: new Float64Array() }) };
}

export const isSearching = computed(
  () => workerResults.value !== undefined && workerResults.value.query !== line.value.query,
);

/** Whether the list is there, and was searched for what the page was opened with. */
export const isThere = computed(
  () => loading.value.kind === 'ready' && !(workerResults.value?.ids && workerResults.value.query === ''),
);

const searchHere = computed(() => typedSearch(notes.value));
const byId = computed(() => new Map(notes.value.map((note) => [note.id, note])));

const found = computed(() => {
  const { value: there } = workerResults;
  if (!there) return searchHere.value(line.value);
  if (!there.ids) return { words: there.words, notes: notes.value };
  const known: Note[] = [];
  for (const id of there.ids) {
    const note = byId.value.get(id);
    if (note) known.push(note);
  }
  return { words: there.words, notes: known };
});

export const words = computed(() => found.value.words);

const narrowing = computed(() => filterNames.filter((name) => name === 'archived' || filters.value[name].length > 0));

const passing = computed(() => {
  const { value: chosen } = filters;
  const { value: names } = narrowing;
  const { value: ids } = pinned;
  const { value: isPinnedOnly } = onlyPinned;
  return found.value.notes.filter(
    (note) => names.every((name) => passesFilter(chosen, name, note)) && !(isPinnedOnly && !ids.has(note.id)),
  );
});

/** A note counts for its value of a filter if it passes the other filters. No value belongs to two filters. */
export const counts = computed(() => {
  const { value: chosen } = filters;
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
    for (const name of narrowing.value) {
      if (passesFilter(chosen, name, note)) continue;
      refusals++;
      refusing = name;
    }
    if (refusals > 1) continue;
    if (isPinned && !refusing) count('pinned');
    if (isRefused) continue;
    if (refusing) count(note[refusing]);
    else for (const name of filterNames) count(note[name]);
  }
  return counts;
});

export const isFree = computed(
  () => !archived.value && !onlyPinned.value && [category, group, color].every(({ value }) => value.length === 0),
);

const isUnfiltered = computed(() => isFree.value && words.value === '' && !isBoard.value);

effect(() => {
  void copies.value;
  if (!isUnfiltered.value || document.hidden) updateOftenCopied();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) updateOftenCopied();
});

export const results = computed(() => {
  const first = copiedFirst.value;
  return first.length === 0 ? passing.value : [...first, ...passing.value.filter((note) => !first.includes(note))];
});

export const copiedFirst = computed(() =>
  isUnfiltered.value ? oftenCopied.value.flatMap((id) => passing.value.find((note) => note.id === id) ?? []) : [],
);

export const countOf = (value: Note[FilterName] | 'pinned', from = counts.value): number => from.get(value)?.count ?? 0;

export const unfilteredCounts = computed(() => {
  const all = found.value.notes;
  const active = all.reduce((sum, note) => sum + (note.archived ? 0 : 1), 0);
  return { active, archived: all.length - active };
});

export const boardColumns = computed(() =>
  groups.map((group) => ({ group, notes: results.value.filter((note) => note.group === group) })),
);

export const ordered = computed(() =>
  isBoard.value ? boardColumns.value.flatMap(({ notes }) => notes) : results.value,
);

export const noteAtCursor = computed(() => {
  const { value: id } = cursor;
  return (id === undefined ? undefined : results.value.find((note) => note.id === id)) ?? results.value[0];
});

export function moveCursor(by: number): void {
  const { value: at } = noteAtCursor;
  if (at === undefined) return;
  const { value: notes } = ordered;
  const index = Math.min(Math.max(notes.indexOf(at) + by, 0), notes.length - 1);
  setCursor(notes[index]?.id);
}

/** The id to move the cursor to when its note leaves the list: the next row, or the last one. */
export function cursorAfter(id: number): number | undefined {
  const index = ordered.value.findIndex((note) => note.id === id);
  return (ordered.value[index + 1] ?? ordered.value[index - 1])?.id;
}

let round = 0;

/** Folds the texts of all notes for the search in idle time, in slices of 8 ms. */
export function prepareWhenIdle(): void {
  const waiting = notes.value.values();
  const own = ++round;
  const go = () => {
    if (own !== round) return;
    const end = performance.now() + 8;
    for (const note of waiting) {
      cacheFoldedText(note);
      if (performance.now() > end) return whenIdle(go);
    }
  };
  whenIdle(go);
}
