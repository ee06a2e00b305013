import { signal } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { findColonDefault, listDistinctPlaceholders } from '../../core/placeholders.ts';
import { removePromptsAndFinalLineEnds } from '../../core/text/shell-prompts.ts';
import { findOrLoadLateViews } from '../load-late-views.ts';
import { recordCopy } from '../state/copy-counts.ts';
import { type CopySource, openDialog } from '../state/dialog.ts';
import { announceToScreenReaders, notifications, notify } from '../state/notifications.ts';
import { formatNoteTitle } from '../ui/format-for-page.ts';

export const copiedNoteId = signal<number | undefined>(undefined);

/** `usual`: commands without prompts, and placeholders filled in; `raw`: byte for byte. */
export type CopyMode = 'usual' | 'raw';

/** Copies a note as the reader shows it: with the text that waits for the service, if there is one. */
export function copyNoteOrPromptForValues(note: Note, mode: CopyMode = 'usual'): Promise<void> {
  const shown = findOrLoadLateViews()?.copyWithWaitingFields(note) ?? note;
  const name = `“${formatNoteTitle(shown)}”`;
  return copyOrPromptForValues({ ...toNoteCopySource(shown), name, noteId: note.id }, mode);
}

export const toNoteCopySource = ({ content, category }: Note) => toCopyTexts(content, category === 'bash-commands');

export function toCopyTexts(text: string, isShell: boolean): Pick<CopySource, 'text' | 'exactText'> {
  const runs = isShell ? removePromptsAndFinalLineEnds(text) : text;
  return runs === text ? { text } : { text: runs, exactText: text };
}

/** Takes back the message of an earlier copy, as no note matches; screen readers hear why. */
export function notifyNothingCopied(): void {
  copiedNoteId.value = undefined;
  notifications.value = notifications.value.filter(({ kind }) => kind !== 'done');
  announceToScreenReaders('Nothing copied: no note matches');
}

export const copyNoteLink = ({ id, title }: Note): Promise<void> => {
  const text = new URL(`?note=${id}`, document.baseURI).href;
  return copyTextAndNotify({ text, name: `the link of “${formatNoteTitle({ title })}”` }, text);
};

/** A form with more fields than this is of no use. */
const maxPlaceholderFields = 50;

/** Copies a text. Asks for the values of its placeholders first, unless `raw` or above `maxNames`. */
export async function copyOrPromptForValues(source: CopySource, mode: CopyMode): Promise<void> {
  if (mode === 'raw') return copyExactTextAndNotify(source);
  const names = listDistinctPlaceholders(source.text).length;
  if (names > 0 && names <= maxPlaceholderFields) openDialog({ kind: 'fill', source });
  else
    await copyTextAndNotify(
      { ...source, name: `${source.name}${formatBlanksSuffix(names, source.text)}` },
      source.text,
    );
}

/** Says what stays in a text that is copied without a form. */
function formatBlanksSuffix(count: number, text: string): string {
  if (count > 0) return ` with ${count} blanks`;
  const colon = findColonDefault(text);
  return colon ? ` with ${colon.written} as it is: a default is written ${colon.meant}` : '';
}

const copyExactTextAndNotify = ({ exactText: exact, ...source }: CopySource): Promise<void> =>
  copyTextAndNotify(
    exact === undefined ? source : { ...source, name: `${source.name} byte for byte` },
    exact ?? source.text,
  );

function formatOmissions({ text, exactText: exact }: CopySource): string {
  if (exact === undefined) return '';
  return exact.startsWith(text) ? ' without its last line end' : ', without prompts';
}

export async function copyTextAndNotify(source: CopySource, text: string): Promise<void> {
  const { name, noteId: note } = source;
  if (!(await tryWriteClipboard(text))) {
    notify('Not copied: the browser refused. Select the text and copy it by hand', { kind: 'failure' });
    return;
  }
  notify(`Copied ${name}${formatOmissions(source)}`, { kind: 'done' });
  if (note !== undefined) recordCopy(note);
  copiedNoteId.value = note;
  setTimeout(() => {
    if (copiedNoteId.value === note) copiedNoteId.value = undefined;
  }, 1_500);
}

async function tryWriteClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return tryCopyBySelection(text); // denied, or `navigator.clipboard` is missing (http to another host)
  }
}

/** Works everywhere, but only during a key press or a click. An area would change line ends: the handler does not. */
function tryCopyBySelection(text: string): boolean {
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
