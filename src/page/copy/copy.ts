import { signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { findPlaceholders } from '../../core/placeholders.ts';
import { removeShellPrompts } from '../../core/text/shell-prompts.ts';
import { type CopySource, openDialog } from '../state/dialog.ts';
import { countCopy } from '../state/favourites.ts';
import { announce, notifications, notify } from '../state/notifications.ts';
import { displayTitle } from '../ui/format.ts';

export const copiedNote = signal<number | undefined>(undefined);

/** `usual`: commands without prompts, and placeholders filled in; `raw`: byte for byte. */
export type CopyMode = 'usual' | 'raw';

export const copyNote = (note: Note, mode: CopyMode = 'usual'): Promise<void> =>
  copy({ ...sourceOfNote(note), name: `“${displayTitle(note)}”`, note: note.id }, mode);

export const sourceOfNote = ({ content, category }: Note) => sourceOf(content, category === 'bash-commands');

export function sourceOf(text: string, isShell: boolean): Pick<CopySource, 'text' | 'exact'> {
  const runs = isShell ? removeShellPrompts(text) : text;
  return runs === text ? { text } : { text: runs, exact: text };
}

/** Takes back the message of an earlier copy, as no note matches; screen readers hear why. */
export function copyNothing(): void {
  copiedNote.value = undefined;
  notifications.value = notifications.value.filter(({ kind }) => kind !== 'done');
  announce('Nothing copied: no note matches');
}

export const copyLink = ({ id, title }: Note): Promise<void> => {
  const text = new URL(`?note=${id}`, document.baseURI).href;
  return copyText({ text, name: `the link of “${displayTitle({ title })}”` }, text);
};

/** A form with more fields than this is of no use. */
const maxNames = 50;

/** Copies a text. Asks for the values of its placeholders first, unless `raw` or above `maxNames`. */
export async function copy(source: CopySource, mode: CopyMode): Promise<void> {
  if (mode === 'raw') return copyRaw(source);
  const names = findPlaceholders(source.text).length;
  if (names > 0 && names <= maxNames) openDialog({ kind: 'fill', source });
  else await copyText(names > 0 ? { ...source, name: `${source.name} with ${names} blanks` } : source, source.text);
}

const copyRaw = ({ exact, ...source }: CopySource): Promise<void> =>
  copyText(exact === undefined ? source : { ...source, name: `${source.name} byte for byte` }, exact ?? source.text);

const leftOut = ({ text, exact }: CopySource): string =>
  exact === undefined ? '' : exact.startsWith(text) ? ' without its last line end' : ', without prompts';

export async function copyText(source: CopySource, text: string): Promise<void> {
  const { name, note } = source;
  if (!(await writeClipboard(text))) {
    notify('Not copied: the browser refused. Select the text and copy it by hand', { kind: 'failure' });
    return;
  }
  notify(`Copied ${name}${leftOut(source)}`, { kind: 'done' });
  if (note !== undefined) countCopy(note);
  copiedNote.value = note;
  setTimeout(() => {
    if (copiedNote.value === note) copiedNote.value = undefined;
  }, 1_500);
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text); // denied, or `navigator.clipboard` is missing (http to another host)
  }
}

/** Works everywhere, but only during a key press or a click. An area would change line ends: the handler does not. */
function copyWithSelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = '.';
  area.className = 'fixed opacity-0';
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const write = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  area.addEventListener('copy', write);
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
