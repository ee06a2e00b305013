/** Syncs URL and history with the URL state; Back and Forward restore cursor and scroll offsets. */
import { signal } from '@preact/signals';
import { isObject } from '../../core/tools/json.ts';
import { notify } from './notifications.ts';
import { formatUrlState, parseUrlState, type UrlState } from './url-state.ts';

type ListState = Readonly<{ offsets: Offsets; cursor: number | undefined }>;

type Offsets = Readonly<Record<string, { readonly left: number; readonly top: number }>>;

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

const debounceMs = 250;
let writeTimer: ReturnType<typeof setTimeout> | undefined;

export function setCursor(id: number | undefined): void {
  cursor.value = id;
  scrollTarget.value = { kind: 'cursor' };
}

export function saveScroll(name: string, { scrollLeft: left, scrollTop: top }: Element): void {
  const known = offsets[name];
  if (left === (known?.left ?? 0) && top === (known?.top ?? 0)) return;
  offsets = { ...offsets, [name]: { left, top } };
  writeHistorySoon();
}

/** Whether the current entry was added for a form: what follows the form takes its place. */
let isOfForm = false;

/** Adds a history entry for a form, so that Back closes it. */
export function pushForm(): void {
  if (isOfForm) return;
  writeHistory();
  history.pushState(listState(), '', urlOf(urlState.value));
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
  if (isPush) history.pushState(listState(), '', urlOf(next));
  else if (how === 'typing') writeHistorySoon();
  else writeHistory();
  isOfForm &&= how === 'typing';
}

/** Debounced, as browsers refuse more than about a hundred URL changes in half a minute. */
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

/** Undefined for states of other versions of this page. */
function stateOf(state: unknown): ListState | undefined {
  const { offsets, cursor }: Partial<ListState> = Object(state);
  return isObject(offsets) && ['number', 'undefined'].includes(typeof cursor) ? { offsets, cursor } : undefined;
}

window.addEventListener('popstate', ({ state }) => {
  clearTimeout(writeTimer);
  isOfForm = false;
  editing.value = undefined; // its draft is offered
  urlState.value = parseUrlState(location.search).state;
  restore(stateOf(state) ?? { offsets: {}, cursor: urlState.value.note });
});
window.addEventListener('pagehide', writeHistory);
