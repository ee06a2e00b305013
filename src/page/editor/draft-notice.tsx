import type { ComponentChildren } from 'preact';
import type { Note } from '../../core/note.ts';
import { hasSameFields } from '../../core/versions.ts';
import { type Draft, unlockedDrafts } from '../state/drafts.ts';
import { editNote } from '../ui/open-note.ts';
import { discardDraft } from './recover-drafts.ts';

interface DraftNoticeProps {
  readonly draft: Draft;
  readonly resume: () => void;
  readonly children: ComponentChildren;
}

/** Offers to continue or discard an unsaved draft. */
export const DraftNotice = ({ draft, resume, children }: DraftNoticeProps) => (
  <p class="notice" role="status">
    {children}
    <button type="button" class="btn btn-sm touch" onClick={resume}>
      Continue
    </button>
    <button type="button" class="btn btn-ghost btn-sm touch" onClick={() => discardDraft(draft)}>
      Discard
    </button>
  </p>
);

/** The draft of a note, unless the note has the same fields. */
export const unsavedDraft = (note: Note): Draft | undefined =>
  unlockedDrafts(note.id).find(({ fields }) => !hasSameFields(fields, note));

/** Offers the draft of the shown note. */
export function UnsavedDraft({ note }: { note: Note }) {
  const draft = unsavedDraft(note);
  if (!draft) return null;
  return (
    <DraftNotice draft={draft} resume={() => editNote(note)}>
      <span class="flex-1">Unsaved changes are kept in this browser.</span>
    </DraftNotice>
  );
}
