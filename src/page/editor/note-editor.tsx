import { untracked, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { isConflictError } from '../../core/error.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import { createNoteDraftKey, findDraft, newFormFields } from '../state/drafts.ts';
import { editedNoteId, setCursorNoteAndScroll } from '../state/navigation.ts';
import { findNoteById } from '../state/notes.ts';
import { announceToScreenReaders } from '../state/notifications.ts';
import { flushSync, tryFocus } from '../ui/move-focus.ts';
import { createEmptyDraft } from '../ui/new-note.ts';
import { closeFormAndFocus, openNoteAndFocus, openNoteFormAndFocus } from '../ui/open-note.ts';
import { ConflictView, type EditConflict } from './conflict-view.tsx';
import { NoteForm } from './note-form.tsx';
import { createUnlessStored, notifySaved, saveChangesAndNotify, tryLoadPastVersion } from './save-drafts.ts';
import { findChangedDraft, NewNoteDraftNotice, waitingLabel } from './unsaved-drafts.tsx';

export function NewNoteEditor({ draftKey }: { draftKey: string }) {
  const [original] = useState(() => untracked(() => ({ ...createEmptyDraft(), ...newFormFields.value })));
  const [draft] = useState(() => untracked(() => findDraft(draftKey)));
  return (
    <NoteForm
      draftKey={draftKey}
      original={original}
      initial={draft?.fields ?? original}
      save={async (fields) => notifySaved(await createUnlessStored(draftKey, fields))}
      onStored={leaveFormForCreatedNote}
      onWaiting={leaveFormForWaitingNote}
      notice={<NewNoteDraftNotice />}
    />
  );
}

/** The list has its row above all others. */
function leaveFormForWaitingNote(): void {
  closeFormAndFocus();
  announceToScreenReaders(waitingLabel);
  tryFocus('.draft-row .row-link');
}

function leaveFormForCreatedNote(note: Note, isNewer: boolean): void {
  flushSync(() => {
    editedNoteId.value = undefined;
  });
  if (isNewer) openNoteFormAndFocus(note);
  else openNoteAndFocus(note);
}

/** The form of a note, filled with its draft if any. While unchanged, it follows changes by others. */
export function NoteEditor({ note }: { note: Note }) {
  const [draft] = useState(() => untracked(() => findChangedDraft(note)));
  const draftKey = createNoteDraftKey(note.id);
  const original = useSignal(note);
  const isChanged = useSignal(draft !== undefined);
  const conflict = useSignal<EditConflict | undefined>(
    draft && draft.updatedAt !== note.updatedAt
      ? {
          mine: draft.fields,
          theirs: note,
          draftKey,
          loadBase: () => tryLoadPastVersion(note.id, draft.updatedAt),
        }
      : undefined,
  );
  const isStored = draft !== undefined && hasSameDraftFields(draft.fields, note); // by a form that was closed meanwhile
  if (original.value !== note && (!isChanged.value || isStored)) original.value = note;

  async function save(fields: NoteDraft): Promise<Note> {
    const base = original.value;
    try {
      return await saveChangesAndNotify(fields, base);
    } catch (error) {
      const theirs = findNoteById(note.id);
      if (isConflictError(error) && theirs)
        conflict.value = { mine: fields, theirs, draftKey, loadBase: async () => base };
      throw error;
    }
  }

  function done(saved: Note, isNewer: boolean): void {
    setCursorNoteAndScroll(saved.id); // the change moves its row to the top: the list follows it
    if (isNewer) original.value = saved;
    else closeFormAndFocus();
  }

  if (conflict.value) return <ConflictView first={conflict.value} />;
  const isOutdated = original.value.updatedAt < note.updatedAt;
  return (
    <NoteForm
      draftKey={draftKey}
      original={original.value}
      initial={draft?.updatedAt === original.value.updatedAt || isStored ? draft.fields : original.value}
      save={save}
      onStored={done}
      onWaiting={closeFormAndFocus}
      onChanged={(changed) => {
        isChanged.value = changed;
      }}
      notice={
        isOutdated && (
          <p class="notice" role="status">
            This note was changed elsewhere. When you save, you choose what to keep.
          </p>
        )
      }
    />
  );
}
