import { untracked, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Note, NoteDraft } from '../../domain/note.ts';
import { closeDialog } from '../state/dialog.ts';
import { type Draft, draftsOf, lookForDrafts, newKey } from '../state/drafts.ts';
import { place } from '../state/navigation.ts';
import { ago } from '../ui/format.ts';
import { Modal } from '../ui/modal.tsx';
import { edit, openNote } from '../ui/open-note.ts';
import { createOnce, told } from './create-once.ts';
import { NoteForm } from './note-form.tsx';
import { discardDraft, nameOfDraft } from './recover-drafts.ts';

/** Of the form that was opened last: who left it finds it again. */
let lastKey: string | undefined;

/** How an empty form begins. */
function blank(): NoteDraft {
  const { category = 'notes', group = 'first' } = place.value;
  return { title: '', content: '', category, group, color: 'neutral' };
}

export interface NewNoteProps {
  readonly example: NoteDraft | undefined;
  /** What to go on with. */
  readonly draft: Draft | undefined;
}

/** A new note. What was typed into other forms and left there is offered. */
export function NewNote({ example, draft }: NewNoteProps) {
  const [before] = useState(() => example ?? blank());
  const [ownKey] = useState(() => newKey('new'));
  const chosen = useSignal(draft ?? (example ? undefined : untracked(draftLeft)));
  const key = chosen.value?.key ?? ownKey;
  useEffect(() => void lookForDrafts(), []);
  return (
    <Modal title="New note">
      <LeftBehind
        choose={(draft) => {
          chosen.value = draft;
        }}
      />
      <Form key={key} draftKey={key} before={before} begin={chosen.value?.fields ?? before} />
    </Modal>
  );
}

const draftLeft = () => draftsOf('new').find(({ key }) => key === lastKey);

function LeftBehind({ choose }: { choose: (draft: Draft) => void }) {
  return (
    <>
      {draftsOf('new').map((draft) => (
        <p key={draft.key} class="notice" role="status">
          <span class="min-w-0 flex-1 truncate" dir="auto">
            Not saved: {nameOfDraft(draft)}, {ago(new Date(draft.keptAt).toISOString())}
          </span>
          <button type="button" class="btn btn-sm touch" onClick={() => choose(draft)}>
            Continue
          </button>
          <button type="button" class="btn btn-ghost btn-sm touch" onClick={() => discardDraft(draft)}>
            Discard
          </button>
        </p>
      ))}
    </>
  );
}

interface FormProps {
  readonly draftKey: string;
  readonly before: NoteDraft;
  readonly begin: NoteDraft;
}

function Form({ draftKey, before, begin }: FormProps) {
  useLayoutEffect(() => {
    lastKey = draftKey;
  }, []);

  function done(note: Note, isNewer: boolean): void {
    closeDialog();
    if (isNewer) edit(note);
    else openNote(note);
  }

  return (
    <NoteForm
      draftKey={draftKey}
      before={before}
      begin={begin}
      save={async (fields) => told(await createOnce(draftKey, fields))}
      close={closeDialog}
      done={done}
    />
  );
}
