/** Where the page is, and the ways to go on. The address follows; Back and Forward restore the list as it was. */
import { signal } from '@preact/signals';
import { notify } from './notifications.ts';
import { formatUrlState, parseUrlState, type UrlState } from './url-state.ts';

/** What of the list belongs to an entry of the history. */
export interface ListState {
  readonly offsets: Offsets;
  /** The id of the note under the cursor. */
  readonly cursor: number | undefined;
}

/** How far each box is scrolled, in px, by its name. */
export type Offsets = Readonly<Record<string, { readonly left: number; readonly top: number }>>;

/** Where boxes are to be scrolled: to what they were, or just so far that the row under the cursor is seen. */
export type ScrollTarget = { readonly kind: 'offsets'; readonly offsets: Offsets } | { readonly kind: 'cursor' };

const initial = parseUrlState(location.search);
if (initial.ignored.length > 0) notify(`Ignored in the address: ${initial.ignored.join(', ')}`, { kind: 'notice' });

export const urlState = signal<UrlState>(initial.state);

const restored = stateOf(history.state);

/** The id of the note under the cursor; undefined: the first one. */
export const cursor = signal<number | undefined>(restored ? restored.cursor : initial.state.note);

/** Each new object is carried out once. */
export const scrollTarget = signal<ScrollTarget>(restored ? { kind: 'offsets', ...restored } : { kind: 'cursor' });

let offsets: Offsets = restored?.offsets ?? {};

const debounceMs = 250;
let writeTimer: ReturnType<typeof setTimeout> | undefined;

/** Puts the cursor on a note and brings that into sight. */
export function setCursor(id: number | undefined): void {
  cursor.value = id;
  scrollTarget.value = { kind: 'cursor' };
}

/** Keeps how far a box is scrolled. */
export function saveScroll(name: string, { scrollLeft: left, scrollTop: top }: Element): void {
  const known = offsets[name];
  if (left === (known?.left ?? 0) && top === (known?.top ?? 0)) return;
  offsets = { ...offsets, [name]: { left, top } };
  writeHistorySoon();
}

/** `push` makes a step that Back undoes, `replace` none, `typing` none and lets the address follow later. */
export function navigate(changes: Partial<UrlState>, how: 'push' | 'replace' | 'typing' = 'push'): void {
  const next = { ...urlState.value, ...changes };
  if (formatUrlState(next) === formatUrlState(urlState.value)) return;
  if (how === 'push') writeHistory();
  const before = cursor.value;
  urlState.value = next;
  if (leavesList(changes)) restore({ offsets: {}, cursor: undefined });
  if ('view' in changes) setCursor(before);
  if (how === 'push') history.pushState(listState(), '', urlOf(next));
  else if (how === 'replace') writeHistory();
  else writeHistorySoon();
}

/** Another list begins at its top. */
const leavesList = (changes: Partial<UrlState>) => Object.keys(changes).some((name) => name !== 'note');

/** Browsers refuse more than about a hundred changes of the address in half a minute: it changes once hands rest. */
function writeHistorySoon(): void {
  clearTimeout(writeTimer);
  writeTimer = setTimeout(writeHistory, debounceMs);
}

function writeHistory(): void {
  clearTimeout(writeTimer);
  history.replaceState(listState(), '', urlOf(urlState.value));
}

const listState = (): ListState => ({ offsets, cursor: cursor.value });

function restore(state: ListState): void {
  offsets = state.offsets;
  cursor.value = state.cursor;
  scrollTarget.value = { kind: 'offsets', offsets };
}

const urlOf = (state: UrlState) => {
  const search = formatUrlState(state);
  return search === '' ? location.pathname : `?${search}`;
};

/** Other versions of this page may have kept something else. */
function stateOf(state: unknown): ListState | undefined {
  return isListState(state) ? state : undefined;
}

function isListState(state: unknown): state is ListState {
  if (typeof state !== 'object' || state === null || !('offsets' in state) || !('cursor' in state)) return false;
  const { offsets, cursor } = state;
  return typeof offsets === 'object' && offsets !== null && (cursor === undefined || typeof cursor === 'number');
}

window.addEventListener('popstate', ({ state }) => {
  clearTimeout(writeTimer);
  urlState.value = parseUrlState(location.search).state;
  restore(stateOf(state) ?? { offsets: {}, cursor: urlState.value.note });
});
window.addEventListener('pagehide', writeHistory);
