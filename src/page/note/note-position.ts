/** The place in a note that the reading view and the editor hand over to each other. */
import type { Note } from '../../core/note.ts';

/** A line of a text, and where it is in the pane. */
export interface LinePosition {
  /** From 1. */
  readonly line: number;
  /** How far the line begins below the top of what scrolls, in px; negative if it begins out of sight. */
  readonly top: number;
}

export interface NotePosition extends LinePosition {
  /**
   * The word that somebody has double-clicked: where it begins and ends in the text, with `\n` as line ends, and how far
   * below the top it is, in px.
   */
  readonly word?: Readonly<{ start: number; end: number; top: number }> | undefined;
}

let handedOverPosition: { readonly id: Note['id']; readonly place: NotePosition | undefined } | undefined;

/** Leaves the place of a note to the view that comes next. Undefined: the beginning. */
export function handOverPosition(id: Note['id'], place: NotePosition | undefined): void {
  handedOverPosition = { id, place };
}

/**
 * Returns the place that was handed over for a note, and forgets it; undefined if it was for another note, or for none.
 */
export function takeHandedOverPosition(id: Note['id']): NotePosition | undefined {
  const place = handedOverPosition?.id === id ? handedOverPosition.place : undefined;
  handedOverPosition = undefined;
  return place;
}

/** In px. A line of which so little is out of sight is seen. */
export const visibleTolerancePx = 2;

/** The closest element around `inner`, or itself, that can be scrolled now; `inner` if there is none. */
export function findScrollerOrSelf(inner: Element): Element {
  for (let element: Element | null = inner; element; element = element.parentElement) {
    const canScroll = /auto|scroll/.test(getComputedStyle(element).overflowY);
    if (canScroll && element.scrollHeight > element.clientHeight) return element;
  }
  return inner;
}
