import { NoteError } from '../../../domain/error.ts';
import type { Note, NoteDraft } from '../../../domain/note.ts';
import { when } from '../../effects.ts';
import { deleteDraft, lockDraft, unlockedDrafts } from '../../state/drafts.ts';
import { offline, writeFailureText } from '../../state/notes.ts';
import { offerDraftUnder } from '../recover-drafts.ts';

export const isUnanswered = (error: unknown) => error instanceof NoteError && error.code === 'unreachable';

/** Saves the draft of a closed form once the service is reachable, unless another form has opened it by then. */
export function saveWhenBack(draftKey: string, save: (fields: NoteDraft) => Promise<Note>): void {
  const isBack = () => !offline.value;
  when(isBack, async () => {
    const draft = unlockedDrafts().find(({ key }) => key === draftKey);
    if (!draft) return;
    const release = lockDraft(draftKey);
    const failure = await save(draft.fields).then(
      () => deleteDraft(draftKey),
      (error) => ({ error, text: writeFailureText('Not saved', error) }),
    );
    release();
    if (failure && isUnanswered(failure.error)) saveWhenBack(draftKey, save);
    else if (failure) offerDraftUnder(draftKey, 'failure', failure.text);
  });
}
