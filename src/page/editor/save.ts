/** Stores the fields of forms and drafts. */
import { NoteError } from '../../core/error.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameFields } from '../../core/versions.ts';
import { notifyChanged } from '../changes/take-back.ts';
import { isConflict } from '../changes/write-many.ts';
import { saveSent, sentDraft } from '../state/drafts.ts';
import { patchOf } from '../state/note-fields.ts';
import { client, create, fetchNote, notes, putNote, update } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { displayTitle } from '../ui/format.ts';

/**
 * Creates the note of a draft once. If an earlier attempt got no response, first looks for the note that it may have
 * stored.
 */
export async function createOnce(draftKey: string, fields: NoteDraft): Promise<Note> {
  const sent = sentDraft(draftKey);
  const list = sent ? await client.list().catch(leaveUnknown) : [];
  const known = list.find((note) => sent && note.id > sent.lastId && hasSameFields(note, sent.fields));
  if (known) {
    putNote(known);
    return hasSameFields(fields, known) ? known : update(known.id, patchOf(fields, known), known.updatedAt);
  }
  saveSent(draftKey, { fields, lastId: notes.value.reduce((last, { id }) => Math.max(last, id), 0) });
  return create(fields);
}

/** Without a list, it is unknown whether the earlier attempt stored the note. */
function leaveUnknown(error: unknown): never {
  if (!(error instanceof NoteError)) throw error;
  throw new NoteError(error.code, error.message, { cause: error, outcome: 'unknown' });
}

/** Changes a note from `before`. Fails with `conflict` if other fields of it were changed meanwhile. */
export async function saveChanges(fields: NoteDraft, before: Note): Promise<Note> {
  const patch = patchOf(fields, before);
  if (Object.keys(patch).length === 0) return before;
  try {
    return notifySaved(await update(before.id, patch, before.updatedAt), before);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const theirs = await fetchNote(before.id);
    if (hasSameFields(fields, theirs)) return notifySaved(theirs);
    const isArchivedOnly = hasSameFields(theirs, before);
    if (!isArchivedOnly) throw error;
    return notifySaved(await update(before.id, patch, theirs.updatedAt), theirs);
  }
}

/** Notifies that a note is stored, and returns it. `before`: the state that Undo restores. */
export function notifySaved(note: Note, before?: Note): Note {
  const text = `Saved “${displayTitle(note)}”`;
  if (before) notifyChanged(text, [{ before, after: note }]);
  else notify(text, { kind: 'done' });
  return note;
}
