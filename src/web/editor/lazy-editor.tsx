/** The editor, as the page has it before its script is there. */
import { effect, untracked } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note } from '../../domain/note.ts';
import { closeDialog, type Dialog } from '../state/dialog.ts';
import { editing } from '../state/navigation.ts';
import { lazy } from '../ui/lazy.ts';

const editorPart = lazy(
  () => import('./parts.ts'),
  () => {
    editing.value = undefined;
    closeDialog();
  },
);

/** Loads the editor, then offers a draft that is not saved. Requires loaded notes. */
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

export function NoteEditor({ note }: { note: Note }) {
  const part = editorPart();
  return part ? <part.Editor note={note} /> : <Coming />;
}

/** What of a note was typed and not saved. */
export function DraftOfNote({ note }: { note: Note }) {
  const part = editorPart();
  return part ? <part.UnsavedDraft note={note} /> : null;
}

/** Holds the focus until the form is there, and gives it back: keys that are meant for the form are no commands. */
function Coming() {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const { activeElement: before } = document;
    const { current: own } = form;
    own?.focus();
    return () => {
      if (before instanceof HTMLElement && document.activeElement === own) before.focus({ preventScroll: true });
    };
  }, []);
  return <form ref={form} class="fixed" tabIndex={-1} aria-busy="true" />;
}
