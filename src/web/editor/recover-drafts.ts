/** Offers to continue or discard unsaved drafts. */

import { hasSameFields } from '../../domain/versions.ts';
import { when } from '../effects.ts';
import { openDialog } from '../state/dialog.ts';
import {
  type Draft,
  deleteDraft,
  hasDraft,
  noteIdOf,
  refreshLocks,
  saveDraft,
  unlockedDrafts,
} from '../state/drafts.ts';
import { urlState } from '../state/navigation.ts';
import { noteById } from '../state/notes.ts';
import { type Notification, notify } from '../state/notifications.ts';
import { editNote } from '../ui/open-note.ts';
import { notifyUndoable } from '../ui/undo.ts';

/** The name of a draft in messages. */
export const draftName = ({ fields }: Draft) => `“${fields.title || fields.content.trim().slice(0, 40)}”`;

/** Opens the form of a draft; if its note is gone, the form of a new note. */
function continueDraft(draft: Draft): void {
  const note = noteById(noteIdOf(draft));
  if (note) editNote(note);
  else openDialog({ kind: 'new', draft });
}

/** Deletes a draft, with Undo. */
export function discardDraft(draft: Draft): void {
  const { key, fields, updatedAt } = draft;
  deleteDraft(key);
  notifyUndoable(`Discarded draft: ${draftName(draft)}`, () => {
    saveDraft(key, fields, updatedAt);
    continueDraft(draft);
  });
}

/** Notifies about a draft while it exists, with an action to continue it. */
function offerDraft(draft: Draft, kind: Notification['kind'], reason = `${draftName(draft)} is not saved`): void {
  const run = () => {
    const waiting = unlockedDrafts().find(({ key }) => key === draft.key);
    if (waiting) continueDraft(waiting);
  };
  const dismiss = notify(`${reason}. What you typed is kept`, { kind, action: { label: 'Continue', run } });
  when(() => !hasDraft(draft.key), dismiss);
}

/** Offers the draft under a key, unless a form has it open. */
export function offerDraftUnder(key: string, kind: Notification['kind'], reason?: string): void {
  const draft = unlockedDrafts().find((draft) => draft.key === key);
  if (draft) offerDraft(draft, kind, reason);
}

/** Whether the draft is already stored: the response to its save was lost. */
function isStored(draft: Draft): boolean {
  const note = noteById(noteIdOf(draft));
  return note !== undefined && hasSameFields(draft.fields, note);
}

/** Offers the last abandoned draft, unless its open note offers it. Requires loaded notes. */
export async function offerUnsavedDraft(): Promise<void> {
  await refreshLocks();
  for (const { key } of unlockedDrafts().filter(isStored)) deleteDraft(key);
  const draft = unlockedDrafts().find((draft) => noteIdOf(draft) !== urlState.value.note);
  if (draft) offerDraft(draft, 'notice');
}
