/** The interactive parts of rendered Markdown: task boxes and links to notes. */
import { isConflict, NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note } from '../../core/note.ts';
import { notifyChanged } from '../changes.ts';
import { navigate, setCursor } from '../state/navigation.ts';
import { fetchNote, noteById, update, writeFailureText } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { parseUrlState } from '../state/url-state.ts';
import { flushSync, focus } from '../ui/focus.ts';
import { displayTitle } from '../ui/format.ts';

export function activate(root: HTMLElement, id: Note['id'], text: string): void {
  for (const box of root.querySelectorAll('input')) {
    const mark = markAt(text, offsetOf(box));
    if (mark === undefined) continue;
    box.disabled = false;
    if (waiting === 0) box.checked = mark !== ' ';
    box.ariaLabel = box.parentElement?.textContent.trim().split('\n')[0]?.slice(0, 200) || 'Done';
  }
  root.onchange = ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const tick = { id, text, at: offsetOf(target), checked: target.checked };
    waiting++;
    stored = stored.then(async () => {
      if (!(await store(tick))) target.checked = !tick.checked;
      waiting--;
    });
  };
  root.onclick = (event) => {
    follow(event);
    tickByTouch(event);
  };
}

/** A finger also ticks a box by its words. */
function tickByTouch({ target, pointerType }: PointerEvent): void {
  if (pointerType !== 'touch' || !(target instanceof Element) || target.closest('a, button, input')) return;
  target.closest('li')?.querySelector<HTMLInputElement>(':scope > input:enabled, :scope > p > input:enabled')?.click();
}

const offsetOf = (box: HTMLInputElement) => Number(box.value);

/** The character within the brackets of the box at an offset; undefined if there is no box. */
const markAt = (text: string, at: number): string | undefined => /^\[([ x])\]$/i.exec(text.slice(at, at + 3))?.[1];

/** `text` is the rendered one; `at` is the offset of the box in it. */
type Tick = Readonly<{ id: Note['id']; text: string; at: number; checked: boolean }>;

/** Resolves after the last tick: ticks are stored one by one, as each changes the version that the last one stored. */
let stored: Promise<void> = Promise.resolve();
/** The number of ticks not stored yet, which boxes already show. */
let waiting = 0;

async function store({ id, text, at, checked }: Tick): Promise<boolean> {
  const note = noteById(id);
  if (!note) return false;
  try {
    if (unticked(note.content) !== unticked(text)) throw new NoteError('conflict', message.noteChanged(id));
    const content = `${note.content.slice(0, at + 1)}${checked ? 'x' : ' '}${note.content.slice(at + 2)}`;
    const saved = await update(note, { content });
    notifyChanged(`${checked ? 'Ticked' : 'Unticked'} in “${displayTitle(note)}”`, [{ before: note, after: saved }]);
    return true;
  } catch (error) {
    notify(writeFailureText(`“${displayTitle(note)}” was not changed`, error), { kind: 'failure' });
    if (isConflict(error)) await fetchNote(id).catch(() => {}); // reported above
    return false;
  }
}

const unticked = (text: string) => text.replace(/\[x\]/gi, '[ ]');

function follow(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const id = link ? noteIn(new URL(link.href)) : undefined;
  if (id === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  flushSync(() => {
    setCursor(id);
    navigate({ note: id });
  });
  focus('.detail-body');
}

const noteIn = ({ origin, pathname, search }: URL): Note['id'] | undefined =>
  origin + pathname === new URL('.', document.baseURI).href ? parseUrlState(search).state.note : undefined;
