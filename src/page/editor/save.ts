/** Stores the fields of forms and drafts, and sends again what the service did not answer. */
import { isConflict, NoteError } from '../../core/error.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameFields } from '../../core/versions.ts';
import { notifyChanged } from '../changes.ts';
import {
  closedDraft,
  closedDrafts,
  type Draft,
  deleteDraft,
  holdDraft,
  isUnanswered,
  noteIdOf,
  readDraft,
  saveDraft,
} from '../state/drafts.ts';
import { when } from '../state/effects.ts';
import {
  create,
  fetchNote,
  noteById,
  notes,
  offline,
  outOfDate,
  refresh,
  update,
  writeFailureText,
} from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { displayTitle } from '../ui/format.ts';
import { offerDraft } from './recover-drafts.tsx';

export const hasNoAnswer = (error: unknown) => error instanceof NoteError && error.code === 'unreachable';

/** Creates the note of a draft, unless an attempt without an answer has: then changes that one. */
export async function createOnce(key: string, fields: NoteDraft): Promise<Note> {
  const sent = readDraft(key)?.sent;
  const known = sent && (await findSent(sent));
  if (known) return hasSameFields(fields, known) ? known : update(known, fields);
  const lastId = notes.value.reduce((last, { id }) => Math.max(last, id), 0);
  saveDraft({ key, fields, updatedAt: undefined, sent: { fields, lastId } });
  return create(fields);
}

/** Brings the list up to date and looks there. Without that, it is unknown whether the note is stored. */
async function findSent({ fields, lastId }: NonNullable<Draft['sent']>): Promise<Note | undefined> {
  while (!(await refresh())) {
    if (offline.value) throw new NoteError('unreachable', 'The service does not answer');
    if (outOfDate.value) throw new NoteError('unavailable', outOfDate.value);
  }
  return notes.value.find((note) => note.id > lastId && hasSameFields(note, fields));
}

/** Changes a note from `before`. Fails with `conflict` if other fields of it were changed meanwhile. */
export async function saveChanges(fields: NoteDraft, before: Note): Promise<Note> {
  if (hasSameFields(fields, before)) return before;
  try {
    return notifySaved(await update(before, fields), before);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const theirs = await fetchNote(before.id);
    if (hasSameFields(fields, theirs)) return notifySaved(theirs);
    if (!hasSameFields(theirs, before)) throw error; // else it was only archived
    return notifySaved(await update(theirs, fields), theirs);
  }
}

/** Notifies that a note is stored, and returns it. `before`: the state that Undo restores. */
export function notifySaved(note: Note, before?: Note): Note {
  const text = `Saved “${displayTitle(note)}”`;
  if (before) notifyChanged(text, [{ before, after: note }]);
  else notify(text, { kind: 'done' });
  return note;
}

/** Sends the draft of a closed form once the service is reachable, unless another form has opened it by then. */
export const saveWhenBack = (key: string): void =>
  when(
    () => !offline.value,
    () => void sendAgain(key),
  );

/** Begins to send what this tab had not saved before a reload, unless it proves to be stored. Requires loaded notes. */
export function saveUnanswered(): void {
  for (const draft of closedDrafts()) {
    const note = noteById(noteIdOf(draft));
    if (note && hasSameFields(draft.fields, note)) deleteDraft(draft.key);
    else void sendAgain(draft.key);
  }
}

async function sendAgain(key: string): Promise<void> {
  const draft = closedDraft(key);
  if (!draft || !isUnanswered(draft)) return;
  const release = holdDraft(key);
  try {
    await store(draft);
    deleteDraft(key);
    release();
  } catch (error) {
    const text = writeFailureText('Not saved', error);
    release();
    const unansweredIn = hasNoAnswer(error) ? draft.unansweredIn : undefined;
    saveDraft({ ...draft, sent: readDraft(key)?.sent, unansweredIn });
    if (hasNoAnswer(error)) saveWhenBack(key);
    else offerDraft(key, 'failure', text);
  }
}

async function store({ key, fields, updatedAt }: Draft): Promise<Note> {
  if (updatedAt === undefined) return notifySaved(await createOnce(key, fields));
  const note = await fetchNote(noteIdOf({ key }));
  if (note.updatedAt === updatedAt || hasSameFields(fields, note)) return saveChanges(fields, note);
  throw new NoteError('conflict', 'The note was changed elsewhere');
}
