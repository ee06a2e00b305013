import { untracked, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Note, NoteDraft } from '../../domain/note.ts';
import { hasSameFields } from '../../domain/versions.ts';
import { isConflict } from '../changes/write-many.ts';
import { newDraftKey } from '../state/drafts.ts';
import { patchOf } from '../state/note-fields.ts';
import { fetchNote, update } from '../state/notes.ts';
import { stopEditing } from '../ui/open-note.ts';
import { ConflictView, type EditConflict } from './conflict.tsx';
import { notifySaved } from './create-once.ts';
import { unsavedDraft } from './draft-notice.tsx';
import { NoteForm } from './form/note-form.tsx';

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
    const patch = patchOf(fields, before);
    if (Object.keys(patch).length === 0) return before;
    try {
      return notifySaved(await update(note.id, patch, before.updatedAt), before);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const theirs = await fetchNote(note.id);
      if (hasSameFields(fields, theirs)) return notifySaved(theirs);
      const isArchivedOnly = hasSameFields(theirs, before);
      if (isArchivedOnly) return notifySaved(await update(note.id, patch, theirs.updatedAt), theirs);
      conflict.value = { since: before.updatedAt, mine: fields, theirs, draftKey };
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
