import { batch, signal, untracked, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { isConflictError } from '../../core/error.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import {
  createNewDraftKey,
  createNoteDraftKey,
  findDraft,
  newFormDraftKey,
  newFormFields,
  trySaveDraft,
} from '../state/drafts.ts';
import { editedNoteId, setCursorNoteAndScroll } from '../state/navigation.ts';
import { findNoteById } from '../state/notes.ts';
import { announceToScreenReaders } from '../state/notifications.ts';
import { flushSync, tryFocus } from '../ui/move-focus.ts';
import { createEmptyDraft } from '../ui/new-note.ts';
import { closeFormAndFocus, closeNoteOrPreview, openNoteAndFocus, openNoteForm } from '../ui/open-note.ts';
import { ConflictView, type EditConflict } from './conflict-view.tsx';
import { NoteForm } from './note-form.tsx';
import { findUpdateTime } from './note-form-state.ts';
import { createUnlessStored, notifySaved, saveChangesAndNotify, tryLoadPastVersion } from './save-drafts.ts';
import { findChangedDraft, NewNoteDraftNotice, waitingLabel } from './unsaved-drafts.tsx';

/** The note that was created last by a form which stayed open, and the key of that form. */
const createdNote = signal<Readonly<{ id: Note['id']; editorKey: string }> | undefined>(undefined);

/** The same for a new note and the note that is created from it: its form stays, with the caret and what can be undone. */
export function findEditorKey(id: Note['id'] | undefined): string {
  if (id === undefined) return newFormDraftKey.value;
  return createdNote.value?.id === id ? createdNote.value.editorKey : String(id);
}

const createNewNoteFields = (): NoteDraft => untracked(() => ({ ...createEmptyDraft(), ...newFormFields.value }));

/** The form of a note, filled with its draft if any. While unchanged, it follows changes by others. */
export function NoteEditor({ note }: { /** Undefined for a new one. */ note: Note | undefined }) {
  const draftKey = note ? createNoteDraftKey(note.id) : newFormDraftKey.value;
  const [draft] = useState(() => untracked(() => (note ? findChangedDraft(note) : findDraft(draftKey))));
  const original = useSignal<Note | NoteDraft>(note ?? createNewNoteFields());
  const isChanged = useSignal(draft !== undefined);
  const isOfOlderVersion = draft !== undefined && note !== undefined && draft.updatedAt !== note.updatedAt;
  const initial = useSignal<NoteDraft>(draft && !isOfOlderVersion ? draft.fields : original.peek());
  const conflict = useSignal<EditConflict | undefined>(
    isOfOlderVersion
      ? {
          mine: draft.fields,
          theirs: note,
          draftKey,
          loadBase: () => tryLoadPastVersion(note.id, draft.updatedAt),
        }
      : undefined,
  );
  const hasBothVersions = useSignal(false);
  const isStored = draft !== undefined && note !== undefined && hasSameDraftFields(draft.fields, note); // by a form that was closed meanwhile
  if (note && original.value !== note && (!isChanged.value || isStored)) {
    original.value = note;
    initial.value = note;
  }

  async function save(fields: NoteDraft): Promise<Note> {
    const base = original.value;
    return 'id' in base ? saveChangesAndNotify(fields, base) : notifySaved(await createUnlessStored(draftKey, fields));
  }

  function showConflict(error: unknown, mine: NoteDraft): void {
    const base = original.value;
    const theirs = 'id' in base ? findNoteById(base.id) : undefined;
    if (isConflictError(error) && theirs) conflict.value = { mine, theirs, draftKey, loadBase: async () => base };
  }

  /** Nothing is saved before somebody has seen it: the text is a draft of the newer version. */
  function editBothVersions(both: NoteDraft, theirs: Note): void {
    trySaveDraft({ key: draftKey, fields: both, updatedAt: theirs.updatedAt });
    batch(() => {
      original.value = theirs;
      initial.value = both;
      isChanged.value = true;
      hasBothVersions.value = true;
      conflict.value = undefined;
    });
  }

  function goOnOrLeave(saved: Note, shown: NoteDraft | undefined): void {
    hasBothVersions.value = false;
    if (note) setCursorNoteAndScroll(saved.id); // the change moves its row to the top: the list follows it
    if (!shown) {
      if (note) closeFormAndFocus();
      else closeFormAndOpenNote(saved);
      return;
    }
    flushSync(() => {
      original.value = saved;
      initial.value = shown;
      if (note) return;
      createdNote.value = { id: saved.id, editorKey: newFormDraftKey.peek() };
      newFormDraftKey.value = createNewDraftKey();
      openNoteForm(saved);
    });
  }

  if (conflict.value) return <ConflictView first={conflict.value} onEditBoth={editBothVersions} />;
  const updatedAt = findUpdateTime(original.value);
  const isOutdated = note !== undefined && updatedAt !== undefined && updatedAt < note.updatedAt;
  return (
    <NoteForm
      draftKey={draftKey}
      original={original.value}
      initial={initial.value}
      save={save}
      onStored={goOnOrLeave}
      onFailed={showConflict}
      onWaiting={note ? closeFormAndFocus : leaveFormForWaitingNote}
      onChanged={(changed) => {
        isChanged.value = changed;
      }}
      notice={
        note ? (
          <EditedNoteNotice isOutdated={isOutdated} hasBothVersions={hasBothVersions.value} />
        ) : (
          <NewNoteDraftNotice />
        )
      }
    />
  );
}

interface EditedNoteState {
  /** Whether the note was changed elsewhere since the form has shown it. */
  readonly isOutdated: boolean;
  /** Whether the form has the text of a conflict whose two sides are both in it. */
  readonly hasBothVersions: boolean;
}

function EditedNoteNotice({ isOutdated, hasBothVersions }: EditedNoteState) {
  if (!isOutdated && !hasBothVersions) return null;
  return (
    <p class="notice" role="status">
      {isOutdated
        ? 'This note was changed elsewhere. When you save, you choose what to keep.'
        : 'Both versions are in this text: where both have changed the same, theirs stands first. Edit it, then save.'}
    </p>
  );
}

/** The list has its row above all others. The note under the cursor, which is another one, is not shown beside it. */
function leaveFormForWaitingNote(): void {
  closeFormAndFocus();
  closeNoteOrPreview();
  announceToScreenReaders(waitingLabel);
  tryFocus('.draft-row .row-link');
}

function closeFormAndOpenNote(note: Note): void {
  flushSync(() => {
    editedNoteId.value = undefined;
  });
  openNoteAndFocus(note);
}
