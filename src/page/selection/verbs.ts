import { fieldValues, type ValueField } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { findPlaceholders } from '../../core/placeholders.ts';
import { failuresText, notifyChanged, progress, writeMany } from '../changes.ts';
import { type CopyMode, copyNote, copyText, sourceOfNote } from '../copy/copy.ts';
import { pinned, setPinned } from '../state/favourites.ts';
import { isBesideList } from '../state/layout.ts';
import { editing, navigate, urlState } from '../state/navigation.ts';
import { client, sendUpdate } from '../state/notes.ts';
import { notify, notifyUndoable } from '../state/notifications.ts';
import { noteAtCursor, ordered } from '../state/results.ts';
import { moveCursorTo } from '../ui/focus.ts';
import { capitalized, displayTitle, noteCount, valueName } from '../ui/format.ts';
import { showNoteAtCursor } from '../ui/open-note.ts';
import { select } from './selection.ts';

const said = (notes: readonly Note[]) =>
  notes.length === 1 && notes[0] ? `“${displayTitle(notes[0])}”` : noteCount(notes.length);

export async function archiveAll(notes: readonly Note[]): Promise<void> {
  const archived = notes[0]?.archived === false;
  leaveCursor(notes);
  await writeAll(
    notes,
    (note) => client.setArchived(note.id, archived, [note.updatedAt]),
    archived ? 'archived' : 'brought back',
    (subject) => `${archived ? 'Archived' : 'Brought back'} ${subject}`,
  );
}

function leaveCursor(notes: readonly Note[]): void {
  const leaving = new Set(notes);
  const { value: list } = ordered;
  const at = noteAtCursor.value ? list.indexOf(noteAtCursor.value) : -1;
  const stays = (note: Note) => !leaving.has(note);
  const next = list.slice(Math.max(at, 0)).find(stays) ?? list.slice(0, Math.max(at, 0)).findLast(stays);
  if (list[at] && leaving.has(list[at])) moveCursorTo(next?.id);
  const { note: open } = urlState.value;
  if (open === undefined || editing.value === open || !notes.some(({ id }) => id === open)) return;
  navigate({ note: isBesideList.value ? next?.id : undefined }, 'replace');
}

export async function changeTo(notes: readonly Note[], field: ValueField, value: string | undefined): Promise<void> {
  const known = fieldValues[field].find((known) => known === value);
  if (known === undefined) return;
  const others = notes.filter((note) => note[field] !== known);
  const to = `to ${field} ${valueName(known)}`;
  if (others.length === 0) notify(`Nothing to change ${to}`, { kind: 'done' });
  else {
    await writeAll(
      others,
      (note) => sendUpdate(note, { [field]: known }),
      `changed ${to}`,
      (subject) => `${capitalized(field)} ${valueName(known)}: ${subject}`,
    );
  }
}

/** `what`: the past participle for failures, as "archived". */
async function writeAll(
  notes: readonly Note[],
  write: (note: Note) => Promise<Note>,
  what: string,
  done: (subject: string) => string,
): Promise<void> {
  if (progress.value) {
    notify('Wait until the last changes are stored', { kind: 'done' });
    return;
  }
  const { changes, failures } = await writeMany(notes, write);
  const changed = changes.map(({ before }) => before);
  if (changes.length > 0)
    notifyChanged(done(said(changed)), changes, () => {
      moveCursorTo(notes[0]?.id);
      showNoteAtCursor();
    });
  if (failures.length > 0) {
    notify(failuresText(what, failures, notes.length), { kind: 'failure' });
    if (notes.length > 1) select(new Set(failures.map(({ note }) => note.id)));
  }
}

/** Copies the texts as `copyNote` does, separated by blank lines. Placeholders are not filled in. */
export async function copyAll(notes: readonly Note[], mode: CopyMode = 'usual'): Promise<void> {
  if (notes.length === 1 && notes[0]) return copyNote(notes[0], mode);
  const parts = notes.map((note) => (mode === 'raw' ? note.content : sourceOfNote(note).text));
  const blanks = mode === 'raw' ? 0 : parts.reduce((sum, part) => sum + findPlaceholders(part).length, 0);
  const text = parts.map((part, at) => (at < parts.length - 1 ? `${part}${lineEndsAfter(part)}` : part)).join('');
  const more =
    mode === 'raw' ? ' byte for byte' : blanks > 0 ? ` with ${blanks} ${blanks === 1 ? 'blank' : 'blanks'}` : '';
  await copyText({ text, name: noteCount(notes.length) + more }, text);
}

const lineEndsAfter = (text: string) => (/\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? '\n' : '\n\n');

export function pin(notes: readonly Note[]): void {
  const others = notes.filter(({ id }) => !pinned.value.has(id));
  const isPinned = others.length > 0;
  const changed = isPinned ? others : notes;
  const ids = changed.map(({ id }) => id);
  setPinned(ids, isPinned);
  notifyUndoable(`${isPinned ? 'Pinned' : 'Unpinned'} ${said(changed)}`, () => setPinned(ids, !isPinned));
}

export async function downloadNotes(notes: readonly Note[]): Promise<void> {
  const { encodeNotesAsNdjson } = await import('../../formats/json-formats.ts');
  const pieces = await Array.fromAsync(encodeNotesAsNdjson([notes]));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(pieces, { type: 'application/x-ndjson' }));
  link.download = `notes-${new Date().toISOString().slice(0, 10)}.ndjson`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  notify(`Exported ${said(notes)} to ${link.download}`, { kind: 'done' });
}
