import { untracked, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { NoteError } from '../../domain/error.ts';
import type { Note, NoteDraft } from '../../domain/note.ts';
import { type Draft, draftsOf, newKey } from '../state/drafts.ts';
import { isSame, patchOf } from '../state/note-fields.ts';
import { fetchNote, update } from '../state/notes.ts';
import { lazily } from '../ui/lazy.ts';
import { stopEditing } from '../ui/open-note.ts';
import type { Clash } from './conflict.tsx';
import { told } from './create-once.ts';
import { NoteForm } from './note-form.tsx';

const changedElsewhere = 'This note was changed elsewhere. What you typed is kept';

/** Seldom needed, and asked for when one begins to edit: it is there in time. */
const conflictPart = lazily(() => import('./conflict.tsx'));

/** The form for a note, begun with what was kept of it. While nothing was typed, it follows what others write. */
export function Editor({ note }: { note: Note }) {
  const [draft] = useState(() => untracked(() => waitingDraft(note)));
  const [draftKey] = useState(() => draft?.key ?? newKey(note.id));
  const before = useSignal(note);
  const isChanged = useSignal(draft !== undefined);
  const clash = useSignal(draft && draft.updatedAt !== note.updatedAt ? clashOf(draft, note) : undefined);
  if (!isChanged.value && before.value !== note) before.value = note;

  async function save(fields: NoteDraft): Promise<Note> {
    const patch = patchOf(fields, before.value);
    if (Object.keys(patch).length === 0) return before.value;
    try {
      return told(await update(note.id, patch, before.value.updatedAt));
    } catch (error) {
      if (!(error instanceof NoteError) || error.code !== 'conflict') throw error;
      const theirs = await fetchNote(note.id);
      if (isSame(fields, theirs)) return told(theirs);
      if (isSame(theirs, before.value)) return told(await update(note.id, patch, theirs.updatedAt)); // archived meanwhile
      clash.value = { mine: fields, theirs, draftKey };
      throw error;
    }
  }

  function done(saved: Note, isNewer: boolean): void {
    if (isNewer) before.value = saved;
    else stopEditing();
  }

  const part = conflictPart();
  if (clash.value) return part ? <part.Conflict clash={clash} /> : <p class="notice">{changedElsewhere}</p>;
  return (
    <>
      {before.value.updatedAt < note.updatedAt && (
        <p class="notice" role="status">
          This note was changed elsewhere meanwhile. When you save, you choose what remains.
        </p>
      )}
      <NoteForm
        draftKey={draftKey}
        before={before.value}
        begin={draft?.updatedAt === before.value.updatedAt ? draft.fields : before.value}
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

/** What was kept of a note, unless it was stored all the same. */
export const waitingDraft = (note: Note): Draft | undefined =>
  draftsOf(note.id).find(({ fields }) => !isSame(fields, note));

const clashOf = ({ fields, key }: Draft, theirs: Note): Clash => ({ mine: fields, theirs, draftKey: key });
