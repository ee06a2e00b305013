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

const initial = parseUrlState(location.search);
if (initial.ignored.length > 0) notify(`Ignored in the address: ${initial.ignored.join(', ')}`, { kind: 'notice' });

export const urlState = signal<UrlState>(initial.state);

/** The id of the open note while it is being edited, or whether a new one is written. */
export const editing = signal<number | 'new' | undefined>(undefined);

const restored = stateOf(history.state);

/** The id of the note under the cursor; undefined: the first one. */
export const cursor = signal<number | undefined>(restored ? restored.cursor : initial.state.note);

/** Boxes scroll once for each new object. */
export const scrollTarget = signal<ScrollTarget>(restored ? { kind: 'offsets', ...restored } : { kind: 'cursor' });

let offsets: Offsets = restored?.offsets ?? {};

/** The name of the current history entry; entries that were made before a reload keep theirs. */
let entry = restored?.entry ?? createEntryName();

/**
 * The states of the entries that were left by Back and Forward, by the name of the entry. A browser changes the state of
 * the current entry only, and popstate comes when another one is current: what changed since the last write would be
 * lost.
 */
const leftStates = new Map<string, ListState>();

/** The boxes that scroll, by name. */
const boxes = new Map<string, Element>();

const debounceMs = 250;
let writeTimer: ReturnType<typeof setTimeout> | undefined;

function createEntryName(): string {
  return Math.random().toString(36).slice(2);
}

export function setCursor(id: number | undefined): void {
  cursor.value = id;
  scrollTarget.value = { kind: 'cursor' };
}

/** Saves the offset of a box with the history entries that are shown while it exists. Returns what ends that. */
export function registerBox(name: string, box: Element): () => void {
  boxes.set(name, box);
  return () => {
    if (boxes.get(name) === box) boxes.delete(name);
  };
}

/** Saves the offsets of all boxes, and writes them into the history later if they have changed. */
export function saveScroll(): void {
  const before = offsets;
  readOffsets();
  if (offsets !== before) writeHistorySoon();
}

/** Reads the offsets from the boxes: on a busy machine, the key that leaves an entry comes before the scroll event. */
function readOffsets(): void {
  for (const [name, box] of boxes) {
    const { scrollLeft: left, scrollTop: top } = box;
    const known = offsets[name];
    const isSame = left === (known?.left ?? 0) && top === (known?.top ?? 0);
    if (isSame || !box.checkVisibility()) continue; // a hidden box, as on paper, says that it is at its top
    offsets = { ...offsets, [name]: { left, top } };
  }
}

/** Whether the current entry was added for a form: what follows the form takes its place. */
let isOfForm = false;

/** Adds a history entry for a form, so that Back closes it. */
export function pushForm(): void {
  if (isOfForm) return;
  writeHistory();
  pushEntry();
  isOfForm = true;
}

/** `typing` updates the URL later. A new search closes the open note, unless it is being edited. */
export function navigate(changes: Partial<UrlState>, how: 'push' | 'replace' | 'typing' = 'push'): void {
  const isSearch = (changes.query ?? urlState.value.query) !== urlState.value.query;
  const left = isSearch && editing.value === undefined ? { note: undefined } : {};
  const next = { ...urlState.value, ...left, ...changes };
  if (formatUrlState(next) === formatUrlState(urlState.value)) return;
  const isPush = how === 'push' && !isOfForm;
  if (isPush) writeHistory();
  const before = cursor.value;
  urlState.value = next;
  const isOtherList = Object.keys(changes).some((name) => name !== 'note');
  if (isOtherList) restore({ offsets: {}, cursor: undefined });
  if ('view' in changes) setCursor(before);
  if (isPush) pushEntry();
  else if (how === 'typing') writeHistorySoon();
  else replaceEntry(); // the boxes still show the list before
  isOfForm &&= how === 'typing';
}

/** Debounced, as browsers refuse more than about a hundred URL changes in half a minute. */
function writeHistorySoon(): void {
  clearTimeout(writeTimer);
  writeTimer = setTimeout(writeHistory, debounceMs);
}

function writeHistory(): void {
  readOffsets();
  replaceEntry();
}

function replaceEntry(): void {
  clearTimeout(writeTimer);
  history.replaceState(entryState(), '', urlOf(urlState.value));
}

function pushEntry(): void {
  entry = createEntryName();
  history.pushState(entryState(), '', urlOf(urlState.value));
}

const listState = (): ListState => ({ offsets, cursor: cursor.value });

const entryState = (): EntryState => ({ ...listState(), entry });

function restore(state: ListState): void {
  offsets = state.offsets;
  cursor.value = state.cursor;
  scrollTarget.value = { kind: 'offsets', offsets };
}

const urlOf = (state: UrlState) => {
  const search = formatUrlState(state);
  return search === '' ? location.pathname : `?${search}`;
};

/** Undefined for states of other versions of this page. */
function stateOf(state: unknown): EntryState | undefined {
  const { offsets, cursor, entry }: Partial<EntryState> = Object(state);
  const isKnown = isObject(offsets) && typeof entry === 'string' && ['number', 'undefined'].includes(typeof cursor);
  return isKnown ? { offsets, cursor, entry } : undefined;
}

window.addEventListener('popstate', ({ state }) => {
  clearTimeout(writeTimer);
  readOffsets();
  leftStates.set(entry, listState());
  isOfForm = false;
  editing.value = undefined; // its draft is offered
  urlState.value = parseUrlState(location.search).state;
  const stored = stateOf(state);
  entry = stored?.entry ?? createEntryName();
  restore(leftStates.get(entry) ?? stored ?? { offsets: {}, cursor: urlState.value.note });
  leftStates.delete(entry); // from now on, the browser stores it
});
window.addEventListener('pagehide', writeHistory);
