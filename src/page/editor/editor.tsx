import { untracked, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Note, NoteDraft } from '../../core/note.ts';
import { isConflict } from '../changes/write-many.ts';
import { newDraftKey } from '../state/drafts.ts';
import { noteById } from '../state/notes.ts';
import { stopEditing } from '../ui/open-note.ts';
import { ConflictView, type EditConflict } from './conflict.tsx';
import { unsavedDraft } from './draft-notice.tsx';
import { NoteForm } from './form/note-form.tsx';
import { saveChanges } from './save.ts';

/** The form of a note, filled with its draft if any. While unchanged, it follows changes by others. */
export function Editor({ note }: { note: Note }) {
  const [draft] = useState(() => untracked(() => unsavedDraft(note)));
  const [draftKey] = useState(() => draft?.key ?? newDraftKey(note.id));
  const original = useSignal(note);
  const isChanged = useSignal(draft !== undefined);
  const conflict = useSignal<EditConflict | undefined>(
    draft && draft.updatedAt !== note.updatedAt
      ? { since: draft.updatedAt, mine: draft.fields, theirs: note, draftKey }
      : undefined,
  );
  if (!isChanged.value && original.value !== note) original.value = note;

  async function save(fields: NoteDraft): Promise<Note> {
    const { value: before } = original;
    try {
      return await saveChanges(fields, before);
    } catch (error) {
      const theirs = noteById(note.id);
      if (isConflict(error) && theirs) conflict.value = { since: before.updatedAt, mine: fields, theirs, draftKey };
      throw error;
    }
  }

  function done(saved: Note, isNewer: boolean): void {
    if (isNewer) original.value = saved;
    else stopEditing();
  }

  if (conflict.value) return <ConflictView first={conflict.value} />;
  return (
    <>
      {original.value.updatedAt < note.updatedAt && (
        <p class="notice" role="status">
          This note was changed elsewhere. When you save, you choose what to keep.
        </p>
      )}
      <NoteForm
        draftKey={draftKey}
        original={original.value}
        initial={draft?.updatedAt === original.value.updatedAt ? draft.fields : original.value}
        save={save}
        done={done}
        close={stopEditing}
        onChanged={(changed) => {
          isChanged.value = changed;
        }}
      />
    </>
  );
}
