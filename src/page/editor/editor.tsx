import { untracked, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { isConflict } from '../../core/error.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameFields } from '../../core/versions.ts';
import { keyOfNote, newFormTitle, readDraft } from '../state/drafts.ts';
import { editing } from '../state/navigation.ts';
import { noteById } from '../state/notes.ts';
import { flushSync } from '../ui/focus.ts';
import { blank } from '../ui/new-note.ts';
import { editNote, openNote, stopEditing } from '../ui/open-note.ts';
import { ConflictView, type EditConflict } from './conflict.tsx';
import { NoteForm } from './note-form.tsx';
import { draftOfNote, OtherDraft } from './recover-drafts.tsx';
import { createOnce, notifySaved, saveChanges } from './save.ts';

export function NewEditor({ draftKey }: { draftKey: string }) {
  const [original] = useState(() => untracked(() => ({ ...blank(), title: newFormTitle.value })));
  const [draft] = useState(() => untracked(() => readDraft(draftKey)));
  return (
    <NoteForm
      draftKey={draftKey}
      original={original}
      initial={draft?.fields ?? original}
      save={async (fields) => notifySaved(await createOnce(draftKey, fields))}
      done={createdNote}
      notice={<OtherDraft />}
    />
  );
}

function createdNote(note: Note, isNewer: boolean): void {
  flushSync(() => {
    editing.value = undefined;
  });
  if (isNewer) editNote(note);
  else openNote(note);
}

/** The form of a note, filled with its draft if any. While unchanged, it follows changes by others. */
export function Editor({ note }: { note: Note }) {
  const [draft] = useState(() => untracked(() => draftOfNote(note)));
  const draftKey = keyOfNote(note.id);
  const original = useSignal(note);
  const isChanged = useSignal(draft !== undefined);
  const conflict = useSignal<EditConflict | undefined>(
    draft && draft.updatedAt !== note.updatedAt ? { mine: draft.fields, theirs: note, draftKey } : undefined,
  );
  const isStored = draft !== undefined && hasSameFields(draft.fields, note); // by a form that was closed meanwhile
  if (original.value !== note && (!isChanged.value || isStored)) original.value = note;

  async function save(fields: NoteDraft): Promise<Note> {
    try {
      return await saveChanges(fields, original.value);
    } catch (error) {
      const theirs = noteById(note.id);
      if (isConflict(error) && theirs) conflict.value = { mine: fields, theirs, draftKey };
      throw error;
    }
  }

  function done(saved: Note, isNewer: boolean): void {
    if (isNewer) original.value = saved;
    else stopEditing();
  }

  if (conflict.value) return <ConflictView first={conflict.value} />;
  const isOutdated = original.value.updatedAt < note.updatedAt;
  return (
    <NoteForm
      draftKey={draftKey}
      original={original.value}
      initial={draft?.updatedAt === original.value.updatedAt || isStored ? draft.fields : original.value}
      save={save}
      done={done}
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
