/** Moves the focus at once, so that the next key finds it in place. */
import { batch } from '@preact/signals';
import { options } from 'preact';
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

/** What is to have the focus once it is there, and what had the focus when that was asked for. */
let awaited: { readonly selector: string; readonly from: Element | null } | undefined;

/** Focuses an element; one that is not there yet, or is covered, in the next frame or with the view that it stands in. */
export function focus(selector: string): void {
  awaited = tryFocus(selector) ? undefined : { selector, from: document.activeElement };
  if (awaited) requestAnimationFrame(focusAwaited);
}

/** Focuses what was not there when it was asked for, unless the focus went elsewhere since. */
export function focusAwaited(): void {
  const { activeElement } = document;
  if (!awaited || (activeElement !== awaited.from && activeElement !== document.body)) return;
  if (tryFocus(awaited.selector)) awaited = undefined;
}

/** Focuses an element if it is there. A form that is still to come takes the focus itself. */
export function tryFocus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus({ preventScroll: true });
  return element !== null && element === document.activeElement;
}

/** Focuses the row under the cursor, or the count of an empty list. */
export const focusRow = () => focus(noteAtCursor.value ? `[data-row="${noteAtCursor.value.id}"]` : '#count');

/** The same, where what had the focus is gone. */
export function focusRowIfLost(): void {
  if (document.activeElement === document.body) focusRow();
}
