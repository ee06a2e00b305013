import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { categories, colors, groups } from '../../domain/enums.ts';
import type { Note, NoteDraft } from '../../domain/note.ts';
import { dropDraft, hold, keepDraft, newKey } from '../state/drafts.ts';
import { place } from '../state/navigation.ts';
import { isSame } from '../state/note-fields.ts';
import { failureOfWrite } from '../state/notes.ts';
import { discardDraft, offerUnder } from './recover-drafts.ts';
import { typedFields } from './typed-text.ts';

export interface NoteFormProps {
  /** Of the draft that keeps what is typed. */
  readonly draftKey: string;
  /** What is stored, or how a new note begins; nothing but this counts as unchanged. */
  readonly before: NoteDraft | Note;
  /** What the form begins with: the same, or what was kept of a draft. */
  readonly begin: NoteDraft;
  /** Stores the fields. What it fails with is shown. */
  readonly save: (fields: NoteDraft) => Promise<Note>;
  /** The fields are stored; `isNewer`: except for what was typed meanwhile, which is a draft of the note now. */
  readonly done: (note: Note, isNewer: boolean) => void;
  /** Nothing is to be stored. */
  readonly close: () => void;
  readonly onChanged?: (isChanged: boolean) => void;
}

/** What became of the text that is in the form: a draft of it is kept in this browser, or cannot be. */
export type Typed = 'same' | 'changed' | 'kept' | 'unkept';

export type Attempt = { readonly kind: 'none' | 'saving' } | { readonly kind: 'failed'; readonly text: string };

const draftMs = 300;

export interface NoteFormState {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly typed: Typed;
  readonly attempt: Attempt;
  onInput(): void;
  submit(): Promise<void>;
  /** Leaves the form; what was typed is dropped, which can be undone for a while. */
  cancel(): void;
}

/** What happens to the text of a form: it is kept as a draft, stored once, and never lost in between. */
export function useNoteForm({ draftKey, before, begin, save, done, close, onChanged }: NoteFormProps): NoteFormState {
  const form = useRef<HTMLFormElement>(null);
  const typed = useSignal<Typed>(begin === before ? 'same' : 'kept');
  const attempt = useSignal<Attempt>({ kind: 'none' });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isOver = useRef(false);
  const release = useRef(() => {});
  const last = useRef(begin);
  const updatedAt = 'updatedAt' in before ? before.updatedAt : undefined;

  /** What stands in the form, or stood there in the end. */
  function fields(): NoteDraft {
    if (form.current) last.current = typedFields(typedIn(form.current, before), before);
    return last.current;
  }

  function keepNow(): void {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (isOver.current) return;
    const text = fields();
    if (isSame(text, before)) dropDraft(draftKey);
    else typed.value = keepDraft(draftKey, text, updatedAt) ? 'kept' : 'unkept';
  }

  function onInput(): void {
    const isChanged = !isSame(fields(), before);
    if (!isChanged) typed.value = 'same';
    else if (typed.value === 'same') typed.value = 'changed';
    if (attempt.value.kind === 'failed') attempt.value = { kind: 'none' };
    onChanged?.(isChanged);
    timer.current ??= setTimeout(() => now.current.keepNow(), draftMs);
  }

  async function submit(): Promise<void> {
    if (attempt.value.kind === 'saving' || form.current?.reportValidity() !== true) return;
    keepNow();
    const sent = fields();
    attempt.value = { kind: 'saving' };
    try {
      const note = await save(sent);
      now.current.stored(note, sent);
    } catch (error) {
      const text = failureOfWrite('Not saved', error); // where it may be stored, saving again looks for it
      attempt.value = { kind: 'none' };
      attempt.value = { kind: 'failed', text };
      if (!form.current) offerAgain('failure', text);
    } finally {
      if (!form.current) release.current();
    }
  }

  /** Who has left the form is told that its text is not stored; unless others care for it. */
  function offerAgain(kind: 'undoable' | 'failure', text?: string): void {
    release.current();
    offerUnder(draftKey, kind, text);
  }

  function stored(note: Note, sent: NoteDraft): void {
    const isNewer = !isSame(fields(), sent);
    clearTimeout(timer.current);
    timer.current = undefined;
    attempt.value = { kind: 'none' };
    dropDraft(draftKey);
    const key = updatedAt === undefined ? newKey(note.id) : draftKey;
    if (isNewer) typed.value = keepDraft(key, fields(), note.updatedAt) ? 'kept' : 'unkept';
    isOver.current = !isNewer || key !== draftKey;
    if (form.current) done(note, isNewer);
  }

  function cancel(): void {
    if (attempt.value.kind === 'saving') return;
    const draft = { key: draftKey, fields: fields(), updatedAt, keptAt: Date.now() };
    isOver.current = true;
    clearTimeout(timer.current);
    close();
    if (isSame(draft.fields, before)) dropDraft(draftKey);
    else discardDraft(draft);
  }

  /** What is typed is kept and, when nothing else on the page tells so, said. */
  function leave(): void {
    if (timer.current !== undefined) keepNow();
    if (attempt.peek().kind === 'saving') return;
    release.current();
    if (isOver.current || typed.peek() === 'same') return;
    requestAnimationFrame(() => {
      const isShown = 'id' in before && place.value.note === before.id;
      if (!isShown) offerAgain('undoable');
    });
  }

  /** On plain http another tab may drop a draft that it takes for left behind. */
  function keepAgain({ key, newValue }: StorageEvent): void {
    if (key === draftKey && newValue === null && typed.peek() !== 'same') keepNow();
  }

  const now = useRef({ keepNow, keepAgain, stored, leave });
  now.current = { keepNow, keepAgain, stored, leave };

  useLayoutEffect(() => {
    if (typed.peek() === 'same') form.current?.reset();
  }, [before]);
  useLayoutEffect(() => {
    release.current = hold(draftKey);
    const keepPending = () => timer.current !== undefined && now.current.keepNow();
    const keepAgain = (event: StorageEvent) => now.current.keepAgain(event);
    window.addEventListener('storage', keepAgain);
    window.addEventListener('pagehide', keepPending);
    document.addEventListener('visibilitychange', keepPending);
    const title = form.current?.querySelector<HTMLInputElement>('[name=title]');
    title?.focus();
    title?.setSelectionRange(title.value.length, title.value.length);
    return () => {
      now.current.leave();
      window.removeEventListener('storage', keepAgain);
      window.removeEventListener('pagehide', keepPending);
      document.removeEventListener('visibilitychange', keepPending);
    };
  }, []);

  return { form, typed: typed.value, attempt: attempt.value, onInput, submit, cancel };
}

/** What stands in the controls, as it stands there. */
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
