import { batch } from '@preact/signals';
import { options } from 'preact';
import { noteAtCursor } from '../state/listed-notes.ts';
import { setCursorNoteAndScroll, urlState } from '../state/navigation.ts';

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
let awaitedFocus: { readonly selector: string; readonly from: Element | null } | undefined;

/** Focuses an element. If it is missing or covered, retries in the next frame and when a lazy view is rendered. */
export function focusWhenPresent(selector: string): void {
  awaitedFocus = tryFocus(selector) ? undefined : { selector, from: document.activeElement };
  if (awaitedFocus) requestAnimationFrame(retryAwaitedFocus);
}

/** Whether a focused field raises no keyboard over the page. */
export const hasPhysicalKeyboard = (): boolean => !matchMedia('(pointer: coarse)').matches;

export const focusSearchOrCountOnTouch = () => focusWhenPresent(hasPhysicalKeyboard() ? '#search' : '#count');

export function retryAwaitedFocus(): void {
  const { activeElement } = document;
  if (!awaitedFocus || (activeElement !== awaitedFocus.from && activeElement !== document.body)) return;
  if (tryFocus(awaitedFocus.selector)) awaitedFocus = undefined;
}

export function tryFocus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus({ preventScroll: true });
  return element !== null && element === document.activeElement;
}

export const focusCursorRow = () =>
  focusWhenPresent(noteAtCursor.value ? `[data-row="${noteAtCursor.value.id}"]` : '#count');

/**
 * The same on the way back from elsewhere. A search without a hit gets the focus itself, so that Esc clears it, and other
 * words replace its own.
 */
export function focusRowOrSearch(): void {
  if (noteAtCursor.value || urlState.value.query === '') {
    focusCursorRow();
    return;
  }
  focusSearchOrCountOnTouch();
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.select();
}

/** Finds a new place for the focus whenever the focused element is removed or moved: in the note, or in the list. */
export function startRestoringLostFocus(root: HTMLElement): void {
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
    if (!last || document.activeElement !== document.body || awaitedFocus?.from === last) return;
    last = undefined;
    if (!(wasInNote && tryFocus('#detail :is([name=title], .detail-body)'))) focusRowOrSearch();
  }).observe(root, { childList: true, subtree: true });
}

/** Moves the focus along with the cursor, unless it is in a field, a note or a bar. */
export function setCursorAndFocusRow(id: number | undefined): void {
  setCursorNoteAndScroll(id);
  if (document.activeElement?.matches('[data-row], #count, body')) focusCursorRow();
}
