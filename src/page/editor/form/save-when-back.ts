/** Sends drafts again whose save had no answer: also those that a reload left. */
import { NoteError } from '../../../core/error.ts';
import type { Note } from '../../../core/note.ts';
import { hasSameFields } from '../../../core/versions.ts';
import { when } from '../../effects.ts';
import {
  type Draft,
  deleteDraft,
  lockDraft,
  noteIdOf,
  refreshLocks,
  saveDraft,
  unlockedDrafts,
} from '../../state/drafts.ts';
import { fetchNote, noteById, offline, writeFailureText } from '../../state/notes.ts';
import { offerDraftUnder } from '../recover-drafts.ts';
import { createOnce, notifySaved, saveChanges } from '../save.ts';

export const isUnanswered = (error: unknown) => error instanceof NoteError && error.code === 'unreachable';

/** Sends the draft of a closed form once the service is reachable, unless another form has opened it by then. */
export const saveWhenBack = (draftKey: string): void =>
  when(
    () => !offline.value,
    () => void refreshLocks().then(() => sendAgain(draftKey)),
  );

/** Begins to send what forms left before a reload, unless it proves to be stored. Requires loaded notes. */
export async function saveUnanswered(): Promise<void> {
  await refreshLocks();
  for (const draft of unlockedDrafts()) {
    if (isStored(draft)) deleteDraft(draft.key);
    else void sendAgain(draft.key);
  }
}

/** Whether the note has what the draft would change: the response to its save was lost. */
function isStored(draft: Draft): boolean {
  const note = noteById(noteIdOf(draft));
  return note !== undefined && hasSameFields(draft.fields, note);
}

async function sendAgain(draftKey: string): Promise<void> {
  const draft = unlockedDrafts().find(({ key, isSent }) => key === draftKey && isSent);
  if (!draft) return;
  const release = lockDraft(draftKey);
  saveDraft({ ...draft, isSent: false }); // a reload or another tab does not send it meanwhile
  const failure = await store(draft).then(
    () => deleteDraft(draftKey),
    (error) => ({ text: writeFailureText('Not saved', error), isUnanswered: isUnanswered(error) }),
  );
  if (failure?.isUnanswered) saveDraft(draft);
  release();
  if (failure) offerDraftUnder(draftKey, 'failure', failure.text);
  if (failure?.isUnanswered) saveWhenBack(draftKey);
}

async function store(draft: Draft): Promise<Note> {
  const { key, fields, updatedAt } = draft;
  if (updatedAt === undefined) return notifySaved(await createOnce(key, fields));
  const note = await fetchNote(noteIdOf(draft));
  if (note.updatedAt === updatedAt || hasSameFields(fields, note)) return saveChanges(fields, note);
  throw new NoteError('conflict', 'The note was changed elsewhere');
}
