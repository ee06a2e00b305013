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

/** Focuses an element; one that is not there yet, or is covered, in the next frame. */
export function focus(selector: string): void {
  if (!tryFocus(selector)) requestAnimationFrame(() => tryFocus(selector));
}

/** Focuses an element if it is there. A form that is still to come takes the focus itself. */
export function tryFocus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus({ preventScroll: true });
  return element !== null && element === document.activeElement;
}

/** Focuses the row under the cursor, or the count of an empty list. */
export const focusRow = () => focus(noteAtCursor.value ? `[data-row="${noteAtCursor.value.id}"]` : '#count');
