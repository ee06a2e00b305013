/** Where the page is, and the ways to go on. The address follows; Back and Forward restore the list as it was. */
import { signal } from '@preact/signals';
import { say } from './notifications.ts';
import { type Place, readPlace, writePlace } from './url-state.ts';

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

const start = readPlace(location.search);
if (start.ignored.length > 0) say(`Ignored in the address: ${start.ignored.join(', ')}`, { kind: 'notice' });

export const place = signal<Place>(start.place);

const restored = stateOf(history.state);

/** The id of the note under the cursor; undefined: the first one. */
export const cursor = signal<number | undefined>(restored ? restored.cursor : start.place.note);

/** Each new object is carried out once. */
export const scrollTarget = signal<ScrollTarget>(restored ? { kind: 'offsets', ...restored } : { kind: 'cursor' });

let offsets: Offsets = restored?.offsets ?? {};

const restMs = 250;
let rest: ReturnType<typeof setTimeout> | undefined;

/** Puts the cursor on a note and brings that into sight. */
export function putCursor(id: number | undefined): void {
  cursor.value = id;
  scrollTarget.value = { kind: 'cursor' };
}

/** Keeps how far a box is scrolled. */
export function keepOffset(name: string, { scrollLeft: left, scrollTop: top }: Element): void {
  const known = offsets[name];
  if (left === (known?.left ?? 0) && top === (known?.top ?? 0)) return;
  offsets = { ...offsets, [name]: { left, top } };
  settleSoon();
}

/** `push` makes a step that Back undoes, `replace` none, `typing` none and lets the address follow later. */
export function go(changes: Partial<Place>, how: 'push' | 'replace' | 'typing' = 'push'): void {
  const next = { ...place.value, ...changes };
  if (writePlace(next) === writePlace(place.value)) return;
  if (how === 'push') settle();
  const before = cursor.value;
  place.value = next;
  if (leavesList(changes)) restore({ offsets: {}, cursor: undefined });
  if ('view' in changes) putCursor(before);
  if (how === 'push') history.pushState(listState(), '', addressOf(next));
  else if (how === 'replace') settle();
  else settleSoon();
}

/** Another list begins at its top. */
const leavesList = (changes: Partial<Place>) => Object.keys(changes).some((name) => name !== 'note');

/** Browsers refuse more than about a hundred changes of the address in half a minute: it changes once hands rest. */
function settleSoon(): void {
  clearTimeout(rest);
  rest = setTimeout(settle, restMs);
}

function settle(): void {
  clearTimeout(rest);
  history.replaceState(listState(), '', addressOf(place.value));
}

const listState = (): ListState => ({ offsets, cursor: cursor.value });

function restore(state: ListState): void {
  offsets = state.offsets;
  cursor.value = state.cursor;
  scrollTarget.value = { kind: 'offsets', offsets };
}

const addressOf = (place: Place) => {
  const search = writePlace(place);
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
  clearTimeout(rest);
  place.value = readPlace(location.search).place;
  restore(stateOf(state) ?? { offsets: {}, cursor: place.value.note });
});
window.addEventListener('pagehide', settle);
