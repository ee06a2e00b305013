/** What was typed, was not saved, and waits for somebody to go on with it. */

import { dialog } from '../state/dialog.ts';
import { type Draft, draftsOf, dropDraft, keepDraft, lookForDrafts, subjectOf } from '../state/drafts.ts';
import { place } from '../state/navigation.ts';
import { isSame } from '../state/note-fields.ts';
import { noteById } from '../state/notes.ts';
import { type Message, say } from '../state/notifications.ts';
import { edit } from '../ui/open-note.ts';

/** What a draft is called. */
export const nameOfDraft = ({ fields }: Draft) => `“${fields.title || fields.content.trim().slice(0, 40)}”`;

/** Opens the form that a draft was typed into; of a note that is gone, a new one. */
function continueDraft(draft: Draft): void {
  const subject = subjectOf(draft);
  const note = subject === 'new' ? undefined : noteById(subject);
  if (note) edit(note);
  else dialog.value = { kind: 'new', draft };
}

/** Drops a draft, which can be undone for a while. */
export function discardDraft(draft: Draft): void {
  const { key, fields, updatedAt } = draft;
  dropDraft(key);
  const run = () => {
    keepDraft(key, fields, updatedAt);
    continueDraft(draft);
  };
  say(`Discarded what was typed: ${nameOfDraft(draft)}`, { kind: 'undoable', action: { label: 'Undo', run } });
}

/** Says that a draft waits, and offers to go on with it. */
function offerDraft(draft: Draft, kind: Message['kind'], reason = `${nameOfDraft(draft)} is not saved`): void {
  const run = () => {
    const waiting = draftsOf().find(({ key }) => key === draft.key);
    if (waiting) continueDraft(waiting);
  };
  say(`${reason}. What you typed is kept`, { kind, action: { label: 'Continue', run } });
}

/** Offers the draft under a key, unless somebody goes on with it already. */
export function offerUnder(key: string, kind: Message['kind'], reason?: string): void {
  const draft = draftsOf().find((draft) => draft.key === key);
  if (draft) offerDraft(draft, kind, reason);
}

/** An answer that was lost leaves a draft of what is stored. */
function isStored(draft: Draft): boolean {
  const subject = subjectOf(draft);
  const note = subject === 'new' ? undefined : noteById(subject);
  return note !== undefined && isSame(draft.fields, note);
}

/** Offers the last draft that a tab left behind, unless the note is open, where it is offered anyway. All notes must be known. */
export async function offerLeftBehind(): Promise<void> {
  await lookForDrafts();
  draftsOf()
    .filter(isStored)
    .forEach(({ key }) => {
      dropDraft(key);
    });
  const draft = draftsOf().find((draft) => subjectOf(draft) !== place.value.note);
  if (draft) offerDraft(draft, 'notice');
}
