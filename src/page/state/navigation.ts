/** Syncs URL and history with the URL state; Back and Forward restore cursor and scroll offsets. */
import { signal } from '@preact/signals';
import { isObject } from '../../core/json/json.ts';
import { notify } from './notifications.ts';
import { formatUrlState, parseUrlState, type UrlState } from './url-state.ts';

type ListState = Readonly<{ offsets: Offsets; cursor: number | undefined }>;

type Offsets = Readonly<Record<string, { readonly left: number; readonly top: number }>>;

/** What the browser stores with an entry of its history. */
type EntryState = ListState & Readonly<{ entry: string }>;

type ScrollTarget = { readonly kind: 'offsets'; readonly offsets: Offsets } | { readonly kind: 'cursor' };

const initialUrl = parseUrlState(location.search);
if (initialUrl.ignored.length > 0)
  notify(`Ignored in the address: ${initialUrl.ignored.join(', ')}`, { kind: 'notice' });

export const urlState = signal<UrlState>(initialUrl.state);

/** The id of the open note while it is being edited, or whether a new one is written. */
export const editedNoteId = signal<number | 'new' | undefined>(undefined);

const restoredEntry = tryParseEntryState(history.state);

/** The id of the note under the cursor; undefined: the open note in a list that has it, else the first one. */
export const cursorNoteId = signal<number | undefined>(restoredEntry ? restoredEntry.cursor : initialUrl.state.note);

const isBoardFirstView = urlState.peek().view === 'board'; // it begins at the top of its columns

/** Boxes scroll once for each new object. */
export const scrollTarget = signal<ScrollTarget>(
  restoredEntry || isBoardFirstView ? { kind: 'offsets', offsets: {}, ...restoredEntry } : { kind: 'cursor' },
);

let currentOffsets: Offsets = restoredEntry?.offsets ?? {};

/** The name of the current history entry; entries that were made before a reload keep theirs. */
let currentEntryName = restoredEntry?.entry ?? createEntryName();

/**
 * The states of the entries that were left by Back and Forward, by the name of the entry. A browser changes the state
 * and the address of the current entry only, and popstate comes when another one is current: what changed since the
 * last write would be lost.
 */
const statesByLeftEntry = new Map<string, ListState & Readonly<{ url: UrlState }>>();

/** The boxes that scroll, by name. */
const scrollBoxes = new Map<string, Element>();

const historyDebounceMs = 250;
let historyTimer: ReturnType<typeof setTimeout> | undefined;

function createEntryName(): string {
  return Math.random().toString(36).slice(2);
}

export function setCursorNoteAndScroll(id: number | undefined): void {
  cursorNoteId.value = id;
  scrollTarget.value = { kind: 'cursor' };
}

/** Saves the offset of a box with the history entries that are shown while it exists. Returns what ends that. */
export function registerScrollBox(name: string, box: Element): () => void {
  scrollBoxes.set(name, box);
  return () => {
    if (scrollBoxes.get(name) === box) scrollBoxes.delete(name);
  };
}

/** Saves the offsets of all boxes, and writes them into the history later if they have changed. */
export function saveScrollOffsets(): void {
  const before = currentOffsets;
  updateOffsetsFromBoxes();
  if (currentOffsets !== before) scheduleHistoryWrite();
}

/** Reads the offsets from the boxes: on a busy machine, the key that leaves an entry comes before the scroll event. */
function updateOffsetsFromBoxes(): void {
  for (const [name, box] of scrollBoxes) {
    const { scrollLeft: left, scrollTop: top } = box;
    const known = currentOffsets[name];
    const isSame = left === (known?.left ?? 0) && top === (known?.top ?? 0);
    if (isSame || !box.checkVisibility()) continue; // a hidden box, as on paper, says that it is at its top
    currentOffsets = { ...currentOffsets, [name]: { left, top } };
  }
}

/** Whether the current entry was added for a form: what follows the form takes its place. */
let isFormEntry = false;

/** Adds a history entry for a form, so that Back closes it. */
export function pushFormEntry(): void {
  if (isFormEntry) return;
  updateOffsetsAndReplaceEntry();
  pushHistoryEntry();
  isFormEntry = true;
}

/**
 * `typing` updates the URL later. A new search closes the open note, unless it is being edited. Beginning or ending a
 * search selects the default order.
 */
export function changeUrlState(changes: Partial<UrlState>, how: 'push' | 'replace' | 'typing' = 'push'): void {
  const isSearch = (changes.query ?? urlState.value.query) !== urlState.value.query;
  const left = isSearch && editedNoteId.value === undefined ? { note: undefined } : {};
  const isBegunOrEnded = isSearch && (changes.query === '' || urlState.value.query === '');
  const next = { ...urlState.value, ...left, ...(isBegunOrEnded && { sort: undefined }), ...changes };
  if (formatUrlState(next) === formatUrlState(urlState.value)) return;
  const isPush = how === 'push' && !isFormEntry;
  if (isPush) updateOffsetsAndReplaceEntry();
  const before = cursorNoteId.value;
  urlState.value = next;
  const isOtherList = Object.keys(changes).some((name) => name !== 'note');
  if (isOtherList) resetCursorAndScroll(changes.view, before);
  if (isPush) pushHistoryEntry();
  else if (how === 'typing') scheduleHistoryWrite();
  else replaceHistoryEntry(); // the boxes still show the list before
  isFormEntry &&= how === 'typing';
}

/**
 * Goes to the top of another list, or to the open note in it. A board begins at the top of its columns, and the list
 * after a board has the same note under the cursor.
 */
function resetCursorAndScroll(view: UrlState['view'] | undefined, before: number | undefined): void {
  restoreListState({ offsets: {}, cursor: undefined });
  if (view === 'list') setCursorNoteAndScroll(before);
  else if (view === undefined && urlState.value.note !== undefined) setCursorNoteAndScroll(undefined);
}

/** Debounced, as browsers refuse more than about a hundred URL changes in half a minute. */
function scheduleHistoryWrite(): void {
  clearTimeout(historyTimer);
  historyTimer = setTimeout(updateOffsetsAndReplaceEntry, historyDebounceMs);
}

function updateOffsetsAndReplaceEntry(): void {
  updateOffsetsFromBoxes();
  replaceHistoryEntry();
}

function replaceHistoryEntry(): void {
  clearTimeout(historyTimer);
  history.replaceState(createEntryState(), '', formatPageUrl(urlState.value));
}

function pushHistoryEntry(): void {
  currentEntryName = createEntryName();
  history.pushState(createEntryState(), '', formatPageUrl(urlState.value));
}

const createListState = (): ListState => ({ offsets: currentOffsets, cursor: cursorNoteId.value });

const createEntryState = (): EntryState => ({ ...createListState(), entry: currentEntryName });

function restoreListState(state: ListState): void {
  currentOffsets = state.offsets;
  cursorNoteId.value = state.cursor;
  scrollTarget.value = { kind: 'offsets', offsets: currentOffsets };
}

const formatPageUrl = (state: UrlState) => {
  const search = formatUrlState(state);
  return search === '' ? location.pathname : `?${search}`;
};

/** Undefined for states of other versions of this page. */
function tryParseEntryState(state: unknown): EntryState | undefined {
  const { offsets, cursor, entry }: Partial<EntryState> = Object(state);
  const isKnown = isObject(offsets) && typeof entry === 'string' && ['number', 'undefined'].includes(typeof cursor);
  return isKnown ? { offsets: offsets, cursor: cursor, entry: entry } : undefined;
}

window.addEventListener('popstate', ({ state }) => {
  clearTimeout(historyTimer);
  updateOffsetsFromBoxes();
  statesByLeftEntry.set(currentEntryName, { ...createListState(), url: urlState.value });
  isFormEntry = false;
  editedNoteId.value = undefined; // its draft is offered
  const stored = tryParseEntryState(state);
  currentEntryName = stored?.entry ?? createEntryName();
  const left = statesByLeftEntry.get(currentEntryName);
  urlState.value = left?.url ?? parseUrlState(location.search).state;
  restoreListState(left ?? stored ?? { offsets: {}, cursor: urlState.value.note });
  if (left) replaceHistoryEntry();
  statesByLeftEntry.delete(currentEntryName); // from now on, the browser stores it
});
window.addEventListener('pagehide', updateOffsetsAndReplaceEntry);
