/** Stores the fields of forms and drafts, and sends again what the service did not answer. */
import { isConflictError, NoteError } from '../../core/error.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import { mergeInWorker } from '../history/differences.tsx';
import {
  type Draft,
  deleteDraft,
  findClosedDraft,
  findDraft,
  isDraftUnchanged,
  isUnansweredInThisTab,
  listClosedDrafts,
  parseDraftNoteId,
  reserveDraft,
  trySaveDraft,
} from '../state/drafts.ts';
import { setCursorNoteAndScroll } from '../state/navigation.ts';
import {
  client,
  createAndShowNote,
  fetchAndUpsertNote,
  handleFailureAndFormat,
  handleWriteFailureAndFormat,
  tryRefreshList,
  updateAndShowNote,
} from '../state/note-requests.ts';
import { findNoteById, isOffline, notes, staleListReason } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { runOnceWhen } from '../state/signal-helpers.ts';
import { formatNoteTitle } from '../ui/format-for-page.ts';
import { notifyChangesWithUndo } from '../write-notes.ts';
import { copyWithDefaultTitleAndContent } from './complete-fields.ts';
import { notifyUnsavedDraft } from './unsaved-drafts.tsx';

export const isUnreachableServiceError = (error: unknown) => error instanceof NoteError && error.code === 'unreachable';

/** Creates the note of a draft, unless an attempt without an answer has: then changes that one. */
export async function createUnlessStored(key: string, fields: NoteDraft): Promise<Note> {
  const sent = findDraft(key)?.sent;
  const known = sent && (await refreshAndFindSentNote(sent));
  if (known) return hasSameDraftFields(fields, known) ? known : updateAndShowNote(known, fields);
  const lastId = notes.value.reduce((last, { id }) => Math.max(last, id), 0);
  trySaveDraft({ key, fields, updatedAt: undefined, sent: { fields, lastId } });
  return createAndShowNote(fields);
}

/** Brings the list up to date and looks there. Without that, it is unknown whether the note is stored. */
async function refreshAndFindSentNote({ fields, lastId }: NonNullable<Draft['sent']>): Promise<Note | undefined> {
  while (!(await tryRefreshList())) {
    if (isOffline.value) throw new NoteError('unreachable', 'The service does not answer');
    if (staleListReason.value) throw new NoteError('unavailable', staleListReason.value);
  }
  return notes.value.find((note) => note.id > lastId && hasSameDraftFields(note, fields));
}

/**
 * Changes a note from `before`. Fails with `conflict` if other fields of it were changed meanwhile, unless the stored
 * note already has all changes that lead from `before` to `fields`.
 */
export async function saveChangesAndNotify(fields: NoteDraft, before: Note): Promise<Note> {
  if (hasSameDraftFields(fields, before)) return before;
  try {
    return notifySaved(await updateAndShowNote(before, fields), before);
  } catch (error) {
    if (!isConflictError(error)) throw error;
    const theirs = await fetchAndUpsertNote(before.id);
    if (hasSameDraftFields(fields, theirs)) return notifySaved(theirs);
    const isOnlyArchived = hasSameDraftFields(theirs, before);
    if (isOnlyArchived) return notifySaved(await updateAndShowNote(theirs, fields), theirs);
    if (!(await containsChanges(theirs, before, fields))) throw error;
    notifyStoredElsewhere(theirs);
    return theirs;
  }
}

/** Whether a note has all changes that lead from `base` to `mine`, beside others that do not touch them. */
async function containsChanges(theirs: Note, base: NoteDraft, mine: NoteDraft): Promise<boolean> {
  const merged = await mergeInWorker({ base, mine, theirs }, new AbortController().signal);
  return merged !== undefined && hasSameDraftFields(merged, theirs);
}

/** How many versions of a note are looked through for the one that a draft was made from. */
const maxVersionsBack = 20;

/**
 * Loads the version of a note from its history that has this `updatedAt`; undefined if it is too old, or on failure.
 */
export async function tryLoadPastVersion(id: number, updatedAt: string | undefined): Promise<Note | undefined> {
  try {
    for await (const versions of client.history(id, maxVersionsBack)) {
      const found = versions.find((version) => version.updatedAt === updatedAt);
      if (found) return found;
    }
  } catch (error) {
    handleFailureAndFormat(error);
  }
  return undefined;
}

/** Notifies that there is nothing to save: somebody has stored the same changes. */
export function notifyStoredElsewhere(note: Note): void {
  notify(`“${formatNoteTitle(note)}” already has your changes`, { kind: 'done' });
}

/** Notifies that a note is stored, and returns it. `before`: the state that Undo restores. */
export function notifySaved(note: Note, before?: Note): Note {
  const text = `Saved “${formatNoteTitle(note)}”`;
  if (before) notifyChangesWithUndo(text, [{ before, after: note }]);
  else notify(text, { kind: 'done' });
  return note;
}

/** Sends the draft of a closed form once the service is reachable, unless another form has opened it by then. */
export const resendDraftWhenOnline = (key: string): void =>
  runOnceWhen(
    () => !isOffline.value,
    () => void resendDraftIfUnanswered(key),
  );

/** Begins to send what this tab had not saved before a reload, unless it proves to be stored. Requires loaded notes. */
export function resendUnansweredDrafts(): void {
  for (const draft of listClosedDrafts()) {
    const note = findNoteById(parseDraftNoteId(draft));
    if (note && hasSameDraftFields(draft.fields, note)) deleteDraft(draft.key);
    else void resendDraftIfUnanswered(draft.key);
  }
}

async function resendDraftIfUnanswered(key: string): Promise<void> {
  const found = findClosedDraft(key);
  if (!found || !isUnansweredInThisTab(found)) return;
  const release = reserveDraft(key);
  const draft = { ...found, fields: copyWithDefaultTitleAndContent(found.fields) };
  trySaveDraft(draft);
  try {
    const note = await saveClosedDraftAndNotify(draft);
    if (isDraftRowFocused(key)) setCursorNoteAndScroll(note.id); // its row gets the focus in place of the draft's
    if (isDraftUnchanged(key, draft.fields)) deleteDraft(key);
    release();
  } catch (error) {
    const text = handleWriteFailureAndFormat('Not saved', error);
    release();
    const unansweredIn = isUnreachableServiceError(error) ? draft.unansweredIn : undefined;
    if (isDraftUnchanged(key, draft.fields)) trySaveDraft({ ...draft, sent: findDraft(key)?.sent, unansweredIn });
    if (isUnreachableServiceError(error)) resendDraftWhenOnline(key);
    else notifyUnsavedDraft(key, 'failure', text);
  }
}

const isDraftRowFocused = (key: string): boolean =>
  document.activeElement?.closest<HTMLElement>('.draft-row')?.dataset['draft'] === key;

async function saveClosedDraftAndNotify({ key, fields, updatedAt }: Draft): Promise<Note> {
  if (updatedAt === undefined) return notifySaved(await createUnlessStored(key, fields));
  const note = await fetchAndUpsertNote(parseDraftNoteId({ key }));
  if (note.updatedAt === updatedAt || hasSameDraftFields(fields, note)) return saveChangesAndNotify(fields, note);
  const base = await tryLoadPastVersion(note.id, updatedAt);
  if (base && (await containsChanges(note, base, fields))) return note;
  throw new NoteError('conflict', 'The note was changed elsewhere');
}
