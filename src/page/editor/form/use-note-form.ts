import { useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { categories, colors, groups } from '../../../core/enums.ts';
import type { Note, NoteDraft } from '../../../core/note.ts';
import { hasSameFields } from '../../../core/versions.ts';
import { deleteDraft, lockDraft, newDraftKey, saveDraft } from '../../state/drafts.ts';
import { urlState } from '../../state/navigation.ts';
import { offline, writeFailureText } from '../../state/notes.ts';
import { hasUnsaved } from '../../state/storage.ts';
import { discardDraft, offerDraftUnder } from '../recover-drafts.ts';
import { isUnanswered, saveWhenBack } from './save-when-back.ts';
import { typedFields } from './typed-text.ts';

export interface NoteFormProps {
  /** Key of the draft of this form. */
  readonly draftKey: string;
  /** The stored note, or the fields of a new one; the form is unchanged while it equals this. */
  readonly original: NoteDraft | Note;
  /** What the form shows first: `original`, or the fields of a draft. */
  readonly initial: NoteDraft;
  /** Stores the fields. The form shows its error. */
  readonly save: (fields: NoteDraft) => Promise<Note>;
  /** Called when the fields are stored. `isNewer`: more was typed meanwhile, and is now a draft of the note. */
  readonly done: (note: Note, isNewer: boolean) => void;
  /** Called when the form is left without storing. */
  readonly close: () => void;
  readonly onChanged?: (isChanged: boolean) => void;
}

/** `kept`: the text of the form is saved as a draft in this browser. `unkept`: the browser refused. */
export type DraftState = 'same' | 'kept' | 'unkept';

export type SaveState =
  | { readonly kind: 'none' | 'saving' }
  /** `unanswered`: the service was unreachable; saved automatically once it is back. */
  | { readonly kind: 'failed' | 'unanswered'; readonly text: string };

const draftMs = 300;

/** Keeps the text of a form as a draft until it is stored, and stores it once. */
export function useNoteForm({ draftKey, original, initial, save, done, close, onChanged }: NoteFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const draftState = useSignal<DraftState>(initial === original ? 'same' : hasUnsaved(draftKey) ? 'unkept' : 'kept');
  const saveState = useSignal<SaveState>({ kind: 'none' });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isFinished = useRef(false);
  const release = useRef(() => {});
  const last = useRef(initial);
  const updatedAt = 'updatedAt' in original ? original.updatedAt : undefined;

  /** The fields in the form; after it is unmounted, the last ones. */
  function fields(): NoteDraft {
    if (form.current) last.current = typedFields(typedIn(form.current, initial), initial);
    return last.current;
  }

  /** `isSent`: whether it was sent, and the service did not answer. */
  function keepNow(isSent = false): void {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (isFinished.current) return;
    const draft = { key: draftKey, fields: fields(), updatedAt, isSent };
    if (!isSent && hasSameFields(draft.fields, original)) deleteDraft(draftKey);
    else draftState.value = saveDraft(draft) ? 'kept' : 'unkept';
  }

  function onInput(): void {
    const isChanged = !hasSameFields(fields(), original);
    if (!isChanged) draftState.value = 'same';
    else if (draftState.value === 'same') keepNow();
    if ('text' in saveState.value) saveState.value = { kind: 'none' };
    onChanged?.(isChanged);
    timer.current ??= setTimeout(() => now.current.keepNow(), draftMs);
  }

  async function submit(): Promise<void> {
    if (saveState.value.kind === 'saving' || form.current?.reportValidity() !== true) return;
    keepNow();
    const sent = fields();
    saveState.value = { kind: 'saving' };
    try {
      const note = await save(sent);
      now.current.stored(note, sent);
    } catch (error) {
      const text = writeFailureText('Not saved', error); // it may be stored: the next save looks for it
      keepNow(isUnanswered(error));
      saveState.value = { kind: 'none' };
      saveState.value = { kind: isUnanswered(error) ? 'unanswered' : 'failed', text };
      if (!form.current) offerAgain(text);
    } finally {
      if (!form.current) release.current();
    }
  }

  /** Retries an unanswered save once the service is back. */
  useSignalEffect(() => {
    if (saveState.value.kind !== 'unanswered' || offline.value) return;
    if (form.current?.checkValidity()) void now.current.submit();
  });

  /** Notifies that the text of a closed form is not stored, unless another form has its draft open. */
  function offerAgain(text: string): void {
    release.current();
    offerDraftUnder(draftKey, 'failure', text);
    if (saveState.peek().kind === 'unanswered') saveWhenBack(draftKey);
  }

  function stored(note: Note, sent: NoteDraft): void {
    const isNewer = !hasSameFields(fields(), sent);
    clearTimeout(timer.current);
    timer.current = undefined;
    saveState.value = { kind: 'none' };
    deleteDraft(draftKey);
    const key = updatedAt === undefined ? newDraftKey(note.id) : draftKey;
    const newer = { key, fields: fields(), updatedAt: note.updatedAt };
    if (isNewer) draftState.value = saveDraft(newer) ? 'kept' : 'unkept';
    isFinished.current = !isNewer || key !== draftKey;
    if (form.current) done(note, isNewer);
  }

  /** Leaves the form and discards its draft, with Undo. */
  function cancel(): void {
    if (saveState.value.kind === 'saving') return;
    const draft = { key: draftKey, fields: fields(), updatedAt, keptAt: Date.now() };
    isFinished.current = true;
    clearTimeout(timer.current);
    close();
    if (hasSameFields(draft.fields, original)) deleteDraft(draftKey);
    else discardDraft(draft);
  }

  /** Saves the draft; notifies unless the page shows it anyway. */
  function leave(): void {
    if (timer.current !== undefined) keepNow();
    if (saveState.peek().kind === 'saving') return;
    release.current();
    if (isFinished.current || draftState.peek() === 'same') return;
    requestAnimationFrame(() => {
      const isShown = 'id' in original && urlState.value.note === original.id;
      if (!isShown) offerDraftUnder(draftKey, 'undoable');
      if (saveState.peek().kind === 'unanswered') saveWhenBack(draftKey);
    });
  }

  /** Without locks (plain http), another tab may delete this draft as abandoned. */
  function keepAgain({ key, newValue }: StorageEvent): void {
    if (key === draftKey && newValue === null && draftState.peek() !== 'same') keepNow();
  }

  const now = useRef({ keepNow, keepAgain, stored, leave, submit });
  now.current = { keepNow, keepAgain, stored, leave, submit };

  useLayoutEffect(() => {
    if (draftState.peek() === 'same') form.current?.reset();
  }, [original]);
  useLayoutEffect(() => {
    release.current = lockDraft(draftKey);
    const keepPending = () => timer.current !== undefined && now.current.keepNow();
    const leaving = new AbortController();
    const { signal } = leaving;
    window.addEventListener('storage', (event) => now.current.keepAgain(event), { signal });
    window.addEventListener('pagehide', keepPending, { signal });
    document.addEventListener('visibilitychange', keepPending, { signal });
    const title = form.current?.querySelector<HTMLInputElement>('[name=title]');
    title?.focus();
    title?.setSelectionRange(title.value.length, title.value.length);
    return () => {
      now.current.leave();
      leaving.abort();
    };
  }, []);

  return { form, draftState: draftState.value, saveState: saveState.value, fields, onInput, submit, cancel };
}

/** The raw values of the controls. */
function typedIn(form: HTMLFormElement, before: NoteDraft): NoteDraft {
  const textOf = (name: string) => {
    const control = form.elements.namedItem(name);
    return control !== null && 'value' in control ? String(control.value) : '';
  };
  const oneOf = <Name extends 'category' | 'group' | 'color'>(name: Name, values: readonly NoteDraft[Name][]) =>
    values.find((value) => value === textOf(name)) ?? before[name];
  return {
    title: textOf('title'),
    content: textOf('content'),
    category: oneOf('category', categories),
    group: oneOf('group', groups),
    color: oneOf('color', colors),
  };
}
