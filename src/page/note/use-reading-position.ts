import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import type { Rendering } from '../markdown/rendered-content.tsx';
import { editedNoteId } from '../state/navigation.ts';
import { openNoteFormAndFocus } from '../ui/open-note.ts';
import { findScrollerOrSelf, handOverPosition, type NotePosition, takeHandedOverPosition } from './note-position.ts';
import { findFirstLineInSight, findLineAtHeight, scrollToLine } from './rendered-lines.ts';

/** Keeps the line that is read in its place when the plain text of a note becomes its rendering, of another height. */
export function useReadLineThroughRendering(
  note: Note,
  rendering: Rendering,
  body: RefObject<HTMLElement | null>,
): void {
  const drawn = useRef({ id: note.id, rendering });
  const { current: former } = drawn;
  const isRenderedNow = former.id === note.id && former.rendering.kind === 'plain' && rendering.kind === 'html';
  // Here the plain text is still in the document, in an effect no more.
  const line = isRenderedNow && body.current ? findFirstLineUnlessTop(body.current, former.rendering) : undefined;
  useLayoutEffect(() => {
    drawn.current = { id: note.id, rendering };
    if (line && body.current) scrollToLine(body.current, listRenderedLines(rendering), line);
  }, [note.id, rendering]);
}

/**
 * Shows a note where its editor was left, and hands over the place to the editor when the note is edited. Returns what
 * opens the editor at a double click.
 */
export function usePositionHandover(note: Note, rendering: Rendering, body: RefObject<HTMLElement | null>) {
  const [received] = useState(() => takeHandedOverPosition(note.id));
  const place = useRef(received);
  const shown = useRef({ note, rendering });
  shown.current = { note, rendering };
  const clicked = useRef<NotePosition>(undefined);
  const isRendered = rendering.kind === 'html' || rendering.kind === 'plain';

  useLayoutEffect(() => {
    if (isRendered && place.current && body.current)
      scrollToLine(body.current, listRenderedLines(rendering), place.current);
    if (isRendered) place.current = undefined;
  }, [note.id, isRendered]);
  useLayoutEffect(
    () => () => {
      const { note, rendering } = shown.current;
      if (editedNoteId.peek() !== note.id || !body.current) return;
      handOverPosition(note.id, clicked.current ?? findFirstLineUnlessTop(body.current, rendering));
    },
    [],
  );

  /** Opens the form with the word selected that a double click has selected, else at the line under the pointer. */
  return function editAtPointer({ clientY }: MouseEvent): void {
    if (body.current) clicked.current = findClickedPosition(body.current, shown.current, clientY);
    openNoteFormAndFocus(note);
  };
}

const listRenderedLines = (rendering: Rendering): readonly number[] =>
  rendering.kind === 'html' ? rendering.rendered.lines : [1];

/** The line at the top, unless that is the beginning. */
function findFirstLineUnlessTop(body: HTMLElement, rendering: Rendering): NotePosition | undefined {
  if (findScrollerOrSelf(body).scrollTop === 0) return undefined;
  return findFirstLineInSight(body, listRenderedLines(rendering));
}

function findClickedPosition(
  body: HTMLElement,
  { note, rendering }: Readonly<{ note: Note; rendering: Rendering }>,
  height: number,
): NotePosition | undefined {
  const lines = listRenderedLines(rendering);
  const word = findSelectedWord(note, body);
  if (word === undefined) return findLineAtHeight(body, lines, height);
  const { top } = findScrollerOrSelf(body).getBoundingClientRect();
  const place = findFirstLineInSight(body, lines);
  const wordTop = getSelection()?.getRangeAt(0).getBoundingClientRect().top ?? height;
  return place && { ...place, word: { ...word, top: wordTop - top } };
}

/** Where the text has the word that is selected in its rendering; undefined if it has not. */
function findSelectedWord({ content }: Note, body: HTMLElement): Readonly<{ start: number; end: number }> | undefined {
  const chosen = getSelection();
  const word = chosen?.toString().trim() ?? '';
  if (!chosen?.anchorNode || word === '') return undefined;
  const before = new Range();
  before.setStart(body, 0);
  before.setEnd(chosen.anchorNode, chosen.anchorOffset);
  const source = content.replace(/\r\n?/g, '\n'); // as the form holds it
  let at: number | undefined;
  for (let left = before.toString().split(word).length; left > 0; left--) {
    const next = source.indexOf(word, at === undefined ? 0 : at + 1);
    if (next < 0) break;
    at = next;
  }
  return at === undefined ? undefined : { start: at, end: at + word.length };
}
