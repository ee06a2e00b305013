/** Stand-ins for the editor until its script is loaded. */
import { effect, untracked } from '@preact/signals';
import { closeDialog, type Dialog } from '../state/dialog.ts';
import { editing } from '../state/navigation.ts';
import { Coming, lazy } from '../ui/lazy.ts';

export const editorPart = lazy(
  () => import('./parts.ts'),
  () => {
    editing.value = undefined;
    closeDialog();
  },
);

/** Loads the editor, then offers an unsaved draft. Requires loaded notes. */
export function prepareEditor(): void {
  effect(() => {
    const part = editorPart();
    if (part) untracked(() => void part.offerUnsavedDraft());
  });
}

/** The dialog for a new note. */
export function NewNoteDialog({ example, draft }: Extract<Dialog, { kind: 'new' }>) {
  const part = editorPart();
  return part ? <part.NewNote example={example} draft={draft} /> : <Coming />;
}
