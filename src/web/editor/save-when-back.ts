import { effect, untracked } from '@preact/signals';
import { NoteError } from '../../domain/error.ts';
import type { Note, NoteDraft } from '../../domain/note.ts';
import { deleteDraft, lockDraft, unlockedDrafts } from '../state/drafts.ts';
import { failureText, offline } from '../state/notes.ts';

/** Whether a save failed because no service answered. */
export const isUnanswered = (error: unknown) => error instanceof NoteError && error.code === 'unreachable';

/** Runs once the service answers. */
function whenBack(run: () => void): void {
  const stop = effect(() => {
    if (offline.value) return;
    untracked(run);
    queueMicrotask(() => stop());
  });
}

/** Saves what was typed into a form that was left, once the service answers, unless another form has its draft by then. */
export function saveWhenBack(draftKey: string, save: (fields: NoteDraft) => Promise<Note>): void {
  whenBack(async () => {
    const draft = unlockedDrafts().find(({ key }) => key === draftKey);
    if (!draft) return;
    const release = lockDraft(draftKey);
    try {
      await save(draft.fields);
      deleteDraft(draftKey);
    } catch (error) {
      failureText(error);
      if (isUnanswered(error)) saveWhenBack(draftKey, save);
    } finally {
      release();
    }
  });
}
