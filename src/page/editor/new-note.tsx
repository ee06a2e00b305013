import { untracked, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { closeDialog, type Dialog } from '../state/dialog.ts';
import { type Draft, newDraftKey, refreshLocks, unlockedDrafts } from '../state/drafts.ts';
import { flushSync } from '../ui/focus.ts';
import { timeAgo } from '../ui/format.ts';
import { Modal } from '../ui/modal.tsx';
import { editNote, openNote } from '../ui/open-note.ts';
import { blank } from './blank.ts';
import { DraftNotice } from './draft-notice.tsx';
import { NoteForm } from './form/note-form.tsx';
import { isPreviewed } from './form/preview.tsx';
import { draftName } from './recover-drafts.ts';
import { createOnce, notifySaved } from './save.ts';

/** Draft key of the last form: reopening the dialog shows its draft again. */
let lastKey: string | undefined;

/** The dialog for a new note. Offers the drafts that other forms left. */
export function NewNote({ example, draft }: Extract<Dialog, { kind: 'new' }>) {
  const [original] = useState(() => example ?? blank());
  const [ownKey] = useState(() => newDraftKey('new'));
  const chosen = useSignal(draft ?? (example ? undefined : untracked(lastDraft)));
  const key = chosen.value?.key ?? ownKey;
  useEffect(() => void refreshLocks(), []);
  useLayoutEffect(() => {
    lastKey = key;
  }, [key]);
  return (
    <Modal title="New note" isLarge={isPreviewed.value}>
      <UnsavedDrafts
        choose={(draft) => {
          chosen.value = draft;
        }}
      />
      <NoteForm
        key={key}
        draftKey={key}
        original={original}
        initial={chosen.value?.fields ?? original}
        save={async (fields) => notifySaved(await createOnce(key, fields))}
        close={closeDialog}
        done={done}
      />
    </Modal>
  );
}

const lastDraft = () => unlockedDrafts('new').find(({ key }) => key === lastKey);

function UnsavedDrafts({ choose }: { choose: (draft: Draft) => void }) {
  return (
    <>
      {unlockedDrafts('new').map((draft) => (
        <DraftNotice key={draft.key} draft={draft} resume={() => choose(draft)}>
          <span class="min-w-0 flex-1 truncate" dir="auto">
            Not saved: {draftName(draft)}, {timeAgo(new Date(draft.keptAt).toISOString())}
          </span>
        </DraftNotice>
      ))}
    </>
  );
}

function done(note: Note, isNewer: boolean): void {
  flushSync(closeDialog); // gives the focus back to a row, and the cursor with it
  if (isNewer) editNote(note);
  else openNote(note);
}
