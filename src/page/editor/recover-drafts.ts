/** Offers to continue or discard unsaved drafts. */

import { when } from '../effects.ts';
import { openDialog } from '../state/dialog.ts';
import { type Draft, deleteDraft, hasDraft, noteIdOf, saveDraft, unlockedDrafts } from '../state/drafts.ts';
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
  deleteDraft(draft.key);
  notifyUndoable(`Discarded draft: ${draftName(draft)}`, () => {
    saveDraft({ ...draft, isSent: false });
    continueDraft(draft);
  });
}

/** Dismisses the last message about a draft. */
const offers = new Map<Draft['key'], () => void>();

/** Notifies about a draft while it exists, with an action to continue it. */
function offerDraft(draft: Draft, kind: Notification['kind'], reason = `${draftName(draft)} is not saved`): void {
  const run = () => {
    const waiting = unlockedDrafts().find(({ key }) => key === draft.key);
    if (waiting) continueDraft(waiting);
  };
  offers.get(draft.key)?.();
  const dismiss = notify(`${reason}. What you typed is kept`, { kind, action: { label: 'Continue', run } });
  offers.set(draft.key, dismiss);
  when(() => !hasDraft(draft.key), dismiss);
}

/** Offers the draft under a key, unless a form has it open. */
export function offerDraftUnder(key: string, kind: Notification['kind'], reason?: string): void {
  const draft = unlockedDrafts().find((draft) => draft.key === key);
  if (draft) offerDraft(draft, kind, reason);
}

/** Offers the last abandoned draft, unless its open note offers it. Requires loaded notes. */
export function offerUnsavedDraft(): void {
  const draft = unlockedDrafts().find((draft) => noteIdOf(draft) !== urlState.value.note);
  if (draft) offerDraft(draft, 'notice');
}
