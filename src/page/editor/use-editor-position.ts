import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import {
  findScrollerOrSelf,
  handOverPosition,
  type NotePosition,
  takeHandedOverPosition,
  visibleTolerancePx,
} from '../note/note-position.ts';
import type { ContentEditor } from './content-editor.ts';

interface EditorFields {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly editor: RefObject<ContentEditor | null>;
  /** Whether the editor has taken the place of the text area. */
  readonly isReady: boolean;
}

/** In px. Who has scrolled less reads on at the same line. */
const scrolledFromPx = 8;

/**
 * What an editor showed before anybody scrolled or typed: its text, and where the line that was read was in the pane.
 */
type OpenedEditorView = Readonly<{ lineTop: number; text: string }>;

/**
 * Opens the text of a note at the place where it was read, and hands the place back when the form is left. A draft that
 * is continued opens at its end. `id`: undefined for a new note.
 */
export function useEditorPosition(
  id: Note['id'] | undefined,
  isContinued: boolean,
  { area, editor, isReady }: EditorFields,
): void {
  const [place] = useState(() => (id === undefined || isContinued ? undefined : takeHandedOverPosition(id)));
  const opened = useRef<OpenedEditorView>(undefined);
  const hadArea = useRef(false);

  useLayoutEffect(() => {
    if (!area.current) return;
    hadArea.current = true;
    if (isContinued) moveCaretToEnd(area.current);
    if (id === undefined || isContinued) return;
    const start = place?.word?.start ?? findLineOffset(area.current.value, place?.line ?? 1);
    area.current.setSelectionRange(start, place?.word?.end ?? start);
  }, []);

  useLayoutEffect(() => {
    const { current: shown } = editor;
    if (!shown || !isReady) return;
    if (isContinued) shown.moveCaretIntoSight(hadArea.current ? shown.selectionEnd : shown.value.length);
    if (!place) return;
    const start = place.word?.start ?? findLineOffset(shown.value, place.line);
    shown.selectAndScroll(start, place.word?.end ?? start, place.word?.top ?? place.top);
    runAfterNextFrame(() => {
      opened.current = { lineTop: findLineTopInPane(shown, place.line), text: shown.value };
    });
  }, [isReady]);

  /** The same place if nobody has scrolled or typed, else that of the first line. */
  function findPlaceOnLeave(left: ContentEditor): NotePosition | undefined {
    if (place && (!opened.current || isShownAsOpened(left, place.line, opened.current))) return place;
    return findScrollerOrSelf(left).scrollTop === 0 ? undefined : findFirstLineInEditor(left);
  }

  const latestId = useRef(id);
  latestId.current = id; // a new note gets one when it is saved
  useLayoutEffect(
    () => () => {
      const { current: left } = latestId;
      if (left !== undefined && editor.current) handOverPosition(left, findPlaceOnLeave(editor.current));
    },
    [],
  );
}

function moveCaretToEnd(area: HTMLTextAreaElement): void {
  area.setSelectionRange(area.value.length, area.value.length);
  const scroller = findScrollerOrSelf(area);
  scroller.scrollTop = scroller.scrollHeight;
}

/** Compares where a line is: the scroll position itself changes when lines above get other heights. */
const isShownAsOpened = (editor: ContentEditor, line: number, opened: OpenedEditorView): boolean =>
  editor.value === opened.text && Math.abs(findLineTopInPane(editor, line) - opened.lineTop) <= scrolledFromPx;

/** Below the top of what scrolls, in px. */
const findLineTopInPane = (editor: ContentEditor, line: number): number =>
  editor.findLineTop(line) - findScrollerOrSelf(editor).getBoundingClientRect().top;

function findFirstLineInEditor(editor: ContentEditor): NotePosition | undefined {
  const { top } = findScrollerOrSelf(editor).getBoundingClientRect();
  const found = editor.findLineBelow(top - visibleTolerancePx);
  return found && { ...found, top: found.top - top };
}

/**
 * The offset at which a line, counted from 1, begins in a text with `\n` as line ends; of the last one if it has fewer.
 */
function findLineOffset(text: string, line: number): number {
  let offset = 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf('\n', offset);
    if (end < 0) break;
    offset = end + 1;
  }
  return offset;
}

/** The editor scrolls in the next frame. */
const runAfterNextFrame = (run: () => void): void => {
  requestAnimationFrame(() => requestAnimationFrame(run));
};
