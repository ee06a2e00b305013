import { batch } from '@preact/signals';
import { options } from 'preact';
import { setCursor, urlState } from '../state/navigation.ts';
import { noteAtCursor } from '../state/results.ts';

/** Makes a change and renders it synchronously, so that new elements can be focused before the next key arrives. */
export function flushSync(change: () => void): void {
  let draw = () => {};
  options.debounceRendering = (render) => {
    draw = render;
  };
  batch(change);
  delete options.debounceRendering;
  draw();
}

/** The element to focus once it exists, and the focused element at the time of the request. */
let awaited: { readonly selector: string; readonly from: Element | null } | undefined;

/** Focuses an element. If it is missing or covered, retries in the next frame and when a lazy view is rendered. */
export function focus(selector: string): void {
  awaited = tryFocus(selector) ? undefined : { selector, from: document.activeElement };
  if (awaited) requestAnimationFrame(focusAwaited);
}

/** Whether a focused field raises no keyboard over the page. */
export const hasKeyboard = (): boolean => matchMedia('(pointer: fine)').matches;

export const focusSearch = () => focus(hasKeyboard() ? '#search' : '#count');

export function focusAwaited(): void {
  const { activeElement } = document;
  if (!awaited || (activeElement !== awaited.from && activeElement !== document.body)) return;
  if (tryFocus(awaited.selector)) awaited = undefined;
}

export function tryFocus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus({ preventScroll: true });
  return element !== null && element === document.activeElement;
}

export const focusRow = () => focus(noteAtCursor.value ? `[data-row="${noteAtCursor.value.id}"]` : '#count');

/** The same on the way back from elsewhere; a search without a hit gets the focus itself, so that Esc clears it. */
export function returnToList(): void {
  if (noteAtCursor.value || urlState.value.query === '') focusRow();
  else focus('#search');
}

/** Finds a new place for the focus whenever the focused element is removed or moved: in the note, or in the list. */
export function keepFocus(root: HTMLElement): void {
  let last: Element | undefined;
  let wasInNote = false;
  window.addEventListener('pointerdown', () => {
    last = undefined; // a click beside all controls takes the focus on purpose
  });
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    last = target;
    wasInNote = target.closest('#detail') !== null;
  });
  new MutationObserver(() => {
    if (!last || document.activeElement !== document.body || awaited?.from === last) return;
    last = undefined;
    if (!(wasInNote && tryFocus('#detail :is([name=title], .detail-body)'))) returnToList();
  }).observe(root, { childList: true, subtree: true });
}

export function moveCursorTo(id: number | undefined): void {
  setCursor(id);
  if (document.activeElement?.matches('[data-row], #count')) focusRow();
}
