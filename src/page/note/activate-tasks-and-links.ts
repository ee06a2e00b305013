/** The interactive parts of rendered Markdown: task boxes and links to notes. */
import { isConflictError, NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note } from '../../core/note.ts';
import { changeUrlState, setCursorNoteAndScroll } from '../state/navigation.ts';
import { fetchAndUpsertNote, handleWriteFailureAndFormat, updateAndShowNote } from '../state/note-requests.ts';
import { findNoteById } from '../state/notes.ts';
import { makeUndoWaitFor, notify } from '../state/notifications.ts';
import { parseUrlState } from '../state/url-state.ts';
import { formatNoteTitle } from '../ui/format-for-page.ts';
import { flushSync, focusWhenPresent } from '../ui/move-focus.ts';
import { notifyChangesWithUndo } from '../write-notes.ts';

export function activateTasksAndLinks(root: HTMLElement, id: Note['id'], text: string): void {
  for (const box of root.querySelectorAll('input')) {
    const mark = findTaskMark(text, parseBoxOffset(box));
    if (mark === undefined) continue;
    box.disabled = false;
    if (unstoredTickCount === 0) box.checked = mark !== ' ';
    box.ariaLabel = box.parentElement?.textContent.trim().split('\n')[0]?.slice(0, 200) || 'Done';
  }
  root.onchange = ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const tick = { id, text, at: parseBoxOffset(target), checked: target.checked };
    unstoredTickCount++;
    lastTickPromise = lastTickPromise.then(async () => {
      if (!(await tryStoreTick(tick))) target.checked = !tick.checked;
      unstoredTickCount--;
    });
    makeUndoWaitFor(lastTickPromise);
  };
  root.onclick = (event) => {
    openLinkedNote(event);
    clickTaskBoxByTouch(event);
  };
}

/** A finger also ticks a box by its words. */
function clickTaskBoxByTouch({ target, pointerType }: PointerEvent): void {
  if (pointerType !== 'touch' || !(target instanceof Element) || target.closest('a, button, input')) return;
  target.closest('li')?.querySelector<HTMLInputElement>(':scope > input:enabled, :scope > p > input:enabled')?.click();
}

const parseBoxOffset = (box: HTMLInputElement) => Number(box.value);

/** The character within the brackets of the box at an offset; undefined if there is no box. */
const findTaskMark = (text: string, at: number): string | undefined =>
  /^\[([ x])\]$/i.exec(text.slice(at, at + 3))?.[1];

/** `text` is the rendered one; `at` is the offset of the box in it. */
type Tick = Readonly<{ id: Note['id']; text: string; at: number; checked: boolean }>;

/** Resolves after the last tick: ticks are stored one by one, as each changes the version that the last one stored. */
let lastTickPromise: Promise<void> = Promise.resolve();
/** The number of ticks not stored yet, which boxes already show. */
let unstoredTickCount = 0;

async function tryStoreTick({ id, text, at, checked }: Tick): Promise<boolean> {
  const note = findNoteById(id);
  if (!note) return false;
  try {
    if (removeTicks(note.content) !== removeTicks(text)) throw new NoteError('conflict', message.noteChanged(id));
    const content = `${note.content.slice(0, at + 1)}${checked ? 'x' : ' '}${note.content.slice(at + 2)}`;
    const saved = await updateAndShowNote(note, { content });
    notifyChangesWithUndo(`${checked ? 'Ticked' : 'Unticked'} in “${formatNoteTitle(note)}”`, [
      { before: note, after: saved },
    ]);
    return true;
  } catch (error) {
    notify(handleWriteFailureAndFormat(`“${formatNoteTitle(note)}” was not changed`, error), { kind: 'failure' });
    if (isConflictError(error)) await fetchAndUpsertNote(id).catch(() => {}); // reported above
    return false;
  }
}

const removeTicks = (text: string) => text.replace(/\[x\]/gi, '[ ]');

function openLinkedNote(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const id = link ? findLinkedNoteId(new URL(link.href)) : undefined;
  if (id === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  flushSync(() => {
    setCursorNoteAndScroll(id);
    changeUrlState({ note: id });
  });
  focusWhenPresent('.detail-body');
}

const findLinkedNoteId = ({ origin, pathname, search }: URL): Note['id'] | undefined =>
  origin + pathname === new URL('.', document.baseURI).href ? parseUrlState(search).state.note : undefined;
