/** What was typed, was not saved, and waits for somebody to go on with it. */

import { dialog } from '../state/dialog.ts';
import { type Draft, deleteDraft, refreshLocks, saveDraft, subjectOf, unlockedDrafts } from '../state/drafts.ts';
import { urlState } from '../state/navigation.ts';
import { hasSameFields } from '../state/note-fields.ts';
import { noteById } from '../state/notes.ts';
import { type Notification, notify } from '../state/notifications.ts';
import { editNote } from '../ui/open-note.ts';

/** What a draft is called. */
export const draftName = ({ fields }: Draft) => `“${fields.title || fields.content.trim().slice(0, 40)}”`;

/** Opens the form that a draft was typed into; of a note that is gone, a new one. */
function continueDraft(draft: Draft): void {
  const subject = subjectOf(draft);
  const note = subject === 'new' ? undefined : noteById(subject);
  if (note) editNote(note);
  else dialog.value = { kind: 'new', draft };
}

/** Drops a draft, which can be undone for a while. */
export function discardDraft(draft: Draft): void {
  const { key, fields, updatedAt } = draft;
  deleteDraft(key);
  const run = () => {
    saveDraft(key, fields, updatedAt);
    continueDraft(draft);
  };
  notify(`Discarded what was typed: ${draftName(draft)}`, { kind: 'undoable', action: { label: 'Undo', run } });
}

/** Says that a draft waits, and offers to go on with it. */
function offerDraft(draft: Draft, kind: Notification['kind'], reason = `${draftName(draft)} is not saved`): void {
  const run = () => {
    const waiting = unlockedDrafts().find(({ key }) => key === draft.key);
    if (waiting) continueDraft(waiting);
  };
  notify(`${reason}. What you typed is kept`, { kind, action: { label: 'Continue', run } });
}

/** Offers the draft under a key, unless somebody goes on with it already. */
export function offerDraftUnder(key: string, kind: Notification['kind'], reason?: string): void {
  const draft = unlockedDrafts().find((draft) => draft.key === key);
  if (draft) offerDraft(draft, kind, reason);
}

/** An answer that was lost leaves a draft of what is stored. */
function isStored(draft: Draft): boolean {
  const subject = subjectOf(draft);
  const note = subject === 'new' ? undefined : noteById(subject);
  return note !== undefined && hasSameFields(draft.fields, note);
}

/** Offers the last draft that a tab left behind, unless the note is open, where it is offered anyway. All notes must be known. */
export async function offerUnsavedDraft(): Promise<void> {
  await refreshLocks();
  unlockedDrafts()
    .filter(isStored)
    .forEach(({ key }) => {
      deleteDraft(key);
    });
  const draft = unlockedDrafts().find((draft) => subjectOf(draft) !== urlState.value.note);
  if (draft) offerDraft(draft, 'notice');
}
