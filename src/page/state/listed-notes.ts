import { computed, effect, signal } from '@preact/signals';
import { groups } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { cacheFoldedText, sortHitsByRank } from '../../core/search.ts';
import { type FilterName, filterNames, matchesNamedFilter } from '../../core/search-line.ts';
import { copyCount, mostCopiedIds, oftenCopiedIds, refreshCopiedIds } from './copy-counts.ts';
import { importedIds } from './imported-ids.ts';
import { labels } from './labels.ts';
import { isBoardShown } from './layout.ts';
import { createListSections } from './list-sections.ts';
import { cursorNoteId, editedNoteId, setCursorNoteAndScroll, urlState } from './navigation.ts';
import { listLoadState, notes } from './notes.ts';
import { pinnedIdSet, shownPinIds } from './pinned-ids.ts';
import { storedListSort } from './settings.ts';
import { runWhenIdle } from './signal-helpers.ts';
import { type NoteSortOrder, sortNotes } from './sort-notes.ts';
import { createIncrementalSearch, type TypedLine } from './typed-search.ts';
import { findTypedFilterCompletion } from './typed-state-filters.ts';
import { copyWithFiltersFromQuery } from './url-state.ts';

const queryAndFilters = computed(() => copyWithFiltersFromQuery(urlState.value, labels.value));

/** Separate signals, so that opening a note does not search again. */
const queryText = computed(() => queryAndFilters.value.query);
const categoryFilter = computed(() => queryAndFilters.value.category);
const groupFilter = computed(() => queryAndFilters.value.group);
const colorFilter = computed(() => queryAndFilters.value.color);
const showsArchived = computed(() => queryAndFilters.value.archived);
export const showsOnlyPinned = computed(() => queryAndFilters.value.pinned);

export const activeFilters = computed(() => ({
  category: categoryFilter.value,
  group: groupFilter.value,
  color: colorFilter.value,
  archived: showsArchived.value,
}));

/** The line to search for: without `c:`, `g:` or `is:` being typed; notes may contain the longer names. */
export const searchedLine = computed((): TypedLine => {
  const { before, after } = findTypedFilterCompletion(queryText.value, labels.value) ?? {};
  if (before === undefined || after !== '') return { query: queryText.value };
  const isShort = /^(c|g|is):/i.test(queryText.value.slice(before.length));
  return isShort ? { query: before } : { query: queryText.value, before };
});

/** The results of the search worker for a line: best first, or all notes if undefined. */
export interface WorkerResults {
  readonly query: string;
  readonly words: string;
  readonly hits?: readonly Note[];
  /** The list that the hits are from. */
  readonly notes?: readonly Note[];
}

/** The last results of the search worker; undefined while the page searches itself. */
export const workerResults = signal<WorkerResults>();

/** Leaves searching to the worker. Until its first answer, a search shows nothing, and no search shows all notes. */
export function leaveSearchToWorker(): void {
  workerResults.value = { query: '', words: '', ...(queryText.value && { hits: [] }) };
}

export const isWorkerSearching = computed(
  () => workerResults.value !== undefined && workerResults.value.query !== searchedLine.value.query,
);

/** Whether the list is there, and was searched for what the page was opened with. */
export const isListSearched = computed(
  () => listLoadState.value.kind === 'ready' && !(workerResults.value?.hits && workerResults.value.query === ''),
);

const pageSearch = computed(() => createIncrementalSearch(notes.value));

const searchResult = computed(() => {
  const { value: there } = workerResults;
  if (!there) {
    const { words, hits } = pageSearch.value(searchedLine.value);
    return { words, notes: sortHitsByRank(hits) };
  }
  const { words, hits } = there;
  if (!hits) return { words, notes: notes.value };
  return { words, notes: there.notes === notes.value ? hits : listPresentNotes(hits) };
});

/** The notes of the list with the same ids. */
function listPresentNotes(former: readonly Note[]): readonly Note[] {
  const present = new Map(notes.value.map((note) => [note.id, note]));
  return former.flatMap(({ id }) => present.get(id) ?? []);
}

export const searchedWords = computed(() => searchResult.value.words);

export const activeSort = computed((): NoteSortOrder => {
  const { sort: chosen } = urlState.value;
  if (searchedWords.value !== '') return chosen ?? 'match';
  return chosen === undefined || chosen === 'match' ? storedListSort.value : chosen;
});

let lastSorting: { readonly sort: NoteSortOrder; readonly notes: readonly Note[] } | undefined;

/** Sorted once for each change of the notes or of the order, and not for each key of a search. */
const sortedNotes = computed(() => {
  const before = lastSorting?.sort === activeSort.value ? lastSorting.notes : undefined;
  lastSorting = {
    sort: activeSort.value,
    notes: sortNotes(notes.value, activeSort.value, mostCopiedIds.value, before),
  };
  return lastSorting.notes;
});

const sortedHits = computed(() => {
  const { notes: hits } = searchResult.value;
  if (activeSort.value === 'match') return hits;
  if (hits.length === sortedNotes.value.length) return sortedNotes.value;
  const wanted = new Set(hits);
  return sortedNotes.value.filter((note) => wanted.has(note));
});

const restrictingFilterNames = computed(() =>
  filterNames.filter((name) => name === 'archived' || activeFilters.value[name].length > 0),
);

export const notePassesFilters = computed(() => {
  const { value: chosen } = activeFilters;
  const { value: names } = restrictingFilterNames;
  const { value: ids } = pinnedIdSet;
  const { value: isPinnedOnly } = showsOnlyPinned;
  const { value: imported } = importedIds;
  return (note: Note): boolean =>
    names.every((name) => matchesNamedFilter(chosen, name, note)) &&
    !(isPinnedOnly && !ids.has(note.id)) &&
    imported?.has(note.id) !== false;
});

const filteredHits = computed(() => sortedHits.value.filter(notePassesFilters.value));

/** A note counts for its value of a filter if it passes the other filters. No value belongs to two filters. */
export const countsByValue = computed(() => {
  const counts = new Map<Note[FilterName] | 'pinned', { count: number }>();
  const count = (value: Note[FilterName] | 'pinned') => {
    const known = counts.get(value);
    if (known) known.count++;
    else counts.set(value, { count: 1 });
  };
  for (const note of searchResult.value.notes) {
    const isPinned = pinnedIdSet.value.has(note.id);
    if (showsOnlyPinned.value && !isPinned) continue;
    const excluding = findOnlyExcludingFilter(note);
    if (excluding === 'several') continue;
    if (excluding !== undefined) count(note[excluding]);
    else {
      if (isPinned) count('pinned');
      for (const name of filterNames) count(note[name]);
    }
  }
  return counts;
});

/** The only filter that a note does not pass; undefined if it passes all. */
function findOnlyExcludingFilter(note: Note): FilterName | 'several' | undefined {
  let excluding: FilterName | undefined;
  for (const name of restrictingFilterNames.value) {
    if (matchesNamedFilter(activeFilters.value, name, note)) continue;
    if (excluding !== undefined) return 'several';
    excluding = name;
  }
  return excluding;
}

export const areFiltersClear = computed(
  () =>
    importedIds.value === undefined &&
    !showsArchived.value &&
    !showsOnlyPinned.value &&
    [categoryFilter, groupFilter, colorFilter].every(({ value }) => value.length === 0),
);

const isDefaultList = computed(
  () => areFiltersClear.value && searchedWords.value === '' && activeSort.value === 'changed' && !isBoardShown.value,
);

/** Whether a copy may move rows: not while they are in use. */
const isOrderAffectedByCopies = computed(() => isDefaultList.value || activeSort.value === 'copied');

effect(() => {
  void copyCount.value;
  if (!isOrderAffectedByCopies.value || document.hidden) refreshCopiedIds();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) refreshCopiedIds();
});

/** Pins do not change the ranks of a search. */
export const listSections = computed(() =>
  createListSections(filteredHits.value, {
    pinned: activeSort.value === 'match' ? [] : shownPinIds.value,
    copied: isDefaultList.value ? oftenCopiedIds.value : [],
  }),
);

export const listedNotes = computed(() => {
  const [first, ...others] = listSections.value;
  return others.length === 0 ? (first?.notes ?? []) : listSections.value.flatMap(({ notes }) => notes);
});

export const getValueCount = (value: Note[FilterName] | 'pinned', from = countsByValue.value): number =>
  from.get(value)?.count ?? 0;

export const activeAndArchivedCounts = computed(() => {
  const all = searchResult.value.notes;
  const active = all.reduce((sum, note) => sum + (note.archived ? 0 : 1), 0);
  return { active, archived: all.length - active };
});

/** A later version of the service may have more groups: their notes have columns too. */
export const boardColumns = computed(() =>
  Array.from(new Set([...groups, ...listedNotes.value.map((note) => note.group)]), (group) => ({
    group,
    notes: listedNotes.value.filter((note) => note.group === group),
  })),
);

export const notesInViewOrder = computed(() =>
  isBoardShown.value ? boardColumns.value.flatMap(({ notes }) => notes) : listedNotes.value,
);

/**
 * After a change of filters or order, that is the open note if the list still has it, and else the first one. A board
 * begins at the top of its columns, and a search beside a form at its best hit.
 */
export const noteAtCursor = computed(() => {
  const isNoteReadBesideList = !isBoardShown.value && editedNoteId.value === undefined;
  const id = cursorNoteId.value ?? (isNoteReadBesideList ? urlState.value.note : undefined);
  return (id === undefined ? undefined : listedNotes.value.find((note) => note.id === id)) ?? listedNotes.value[0];
});

export function moveCursorByRows(by: number): void {
  const { value: at } = noteAtCursor;
  if (at === undefined) return;
  const { value: notes } = notesInViewOrder;
  const index = Math.min(Math.max(notes.indexOf(at) + by, 0), notes.length - 1);
  setCursorNoteAndScroll(notes[index]?.id);
}

/** How many notes follow the one under the cursor in its list, which is a column on the board. */
export function countNotesBelowCursor(): number {
  const { value: note } = noteAtCursor;
  if (note === undefined) return 0;
  const column = isBoardShown.value ? boardColumns.value.find(({ group }) => group === note.group) : undefined;
  const list = column?.notes ?? listedNotes.value;
  return list.length - 1 - list.indexOf(note);
}

/** The id to move the cursor to when its note leaves the list: the next row, or the last one. */
export function findNextCursorId(id: number): number | undefined {
  const index = notesInViewOrder.value.findIndex((note) => note.id === id);
  return (notesInViewOrder.value[index + 1] ?? notesInViewOrder.value[index - 1])?.id;
}

let foldingRound = 0;

/** Folds the texts of all notes for the search in idle time, in slices of 8 ms. */
export function foldNotesWhenIdle(): void {
  const waiting = notes.value.values();
  const own = ++foldingRound;
  const go = () => {
    if (own !== foldingRound) return;
    const end = performance.now() + 8;
    for (const note of waiting) {
      cacheFoldedText(note);
      if (performance.now() > end) return runWhenIdle(go);
    }
  };
  runWhenIdle(go);
}
