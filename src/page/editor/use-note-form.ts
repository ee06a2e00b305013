import { useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { draftFields } from '../../core/enums.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { deriveTitle } from '../../core/text/derive-title.ts';
import { hasSameFields } from '../../core/versions.ts';
import { deleteDraft, holdDraft, keyOfNote, readDraft, saveDraft } from '../state/drafts.ts';
import { urlState } from '../state/navigation.ts';
import { offline, writeFailureText } from '../state/notes.ts';
import { hasUnsaved, tabId } from '../state/storage.ts';
import { stopEditing } from '../ui/open-note.ts';
import { discardDraft, offerDraft } from './recover-drafts.tsx';
import { hasNoAnswer, saveWhenBack } from './save.ts';
import { fieldsIn } from './typed-text.ts';

export interface NoteFormProps {
  /** The same as long as the form is there. */
  readonly draftKey: string;
  /** The stored note, or the fields of a new one; the form is unchanged while it equals this. */
  readonly original: NoteDraft | Note;
  /** What the form shows first: `original`, or the fields of a draft. */
  readonly initial: NoteDraft;
  readonly save: (fields: NoteDraft) => Promise<Note>;
  /** Called when the fields are stored. `isNewer`: more was typed meanwhile, and is now a draft of the note. */
  readonly done: (note: Note, isNewer: boolean) => void;
  readonly onChanged?: (isChanged: boolean) => void;
}

/** `kept`: the text of the form is saved as a draft in this browser. `unkept`: the browser refused. */
export type DraftState = 'same' | 'kept' | 'unkept';

export type SaveState =
  /** `unanswered`: the service was unreachable; saved automatically once it is back. */
  { readonly kind: 'none' | 'saving' | 'unanswered' } | { readonly kind: 'failed'; readonly text: string };

const draftMs = 300;

/** Keeps the text of a form as a draft until it is stored, and stores it once. */
export function useNoteForm(given: NoteFormProps) {
  const { draftKey } = given;
  const props = useRef(given);
  props.current = given; // what follows an answer or a timer needs those of then
  const form = useRef<HTMLFormElement>(null);
  const isDraft = given.initial !== given.original;
  const draftState = useSignal<DraftState>(isDraft ? (hasUnsaved(draftKey) ? 'unkept' : 'kept') : 'same');
  const saveState = useSignal<SaveState>({ kind: 'none' });
  /** What another tab has made of the draft; this one is not kept until the user has chosen. */
  const elsewhere = useSignal<NoteDraft | undefined>(undefined);
  const typed = useSignal(given.initial);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isFinished = useRef(false);
  const release = useRef(() => {});
  const last = useRef(given.initial);

  /** The fields in the form; after it is unmounted, the last ones. */
  function fields(): NoteDraft {
    if (form.current) last.current = fieldsIn(form.current, props.current.initial);
    return last.current;
  }

  const isSame = (fields: NoteDraft) => hasSameFields(fields, props.current.original);

  const updatedAt = () => ('updatedAt' in props.current.original ? props.current.original.updatedAt : undefined);

  const draftNow = () => ({ key: draftKey, fields: fields(), updatedAt: updatedAt() });

  function stopTimer(): void {
    clearTimeout(timer.current);
    timer.current = undefined;
  }

  function keepNow(unansweredIn?: string): void {
    stopTimer();
    if (isFinished.current || elsewhere.peek()) return;
    const draft = { ...draftNow(), sent: readDraft(draftKey)?.sent, unansweredIn };
    const isUnchanged = !unansweredIn && isSame(draft.fields);
    if (isUnchanged) deleteDraft(draftKey);
    draftState.value = isUnchanged ? 'same' : saveDraft(draft) ? 'kept' : 'unkept';
  }

  function onInput(): void {
    typed.value = fields();
    const isChanged = !isSame(typed.value);
    if (isChanged && draftState.value === 'same') keepNow();
    else if (!isChanged) draftState.value = 'same';
    if (saveState.value.kind !== 'saving') saveState.value = { kind: 'none' };
    props.current.onChanged?.(isChanged);
    timer.current ??= setTimeout(keepNow, draftMs);
  }

  async function submit(): Promise<void> {
    if (saveState.value.kind === 'saving' || form.current?.reportValidity() !== true) return;
    keepNow();
    const sent = fields();
    saveState.value = { kind: 'saving' };
    try {
      const title = sent.title || deriveTitle(sent.content) || 'Untitled';
      stored(await props.current.save({ ...sent, title }), sent);
    } catch (error) {
      const text = writeFailureText('Not saved', error); // it may be stored: the next save looks for it
      keepNow(hasNoAnswer(error) ? tabId : undefined);
      saveState.value = { kind: 'none' };
      saveState.value = hasNoAnswer(error) ? { kind: 'unanswered' } : { kind: 'failed', text };
      if (!form.current) offerAgain(text);
    } finally {
      if (!form.current) release.current();
    }
  }

  useSignalEffect(() => {
    if (saveState.value.kind !== 'unanswered' || offline.value) return;
    if (form.current?.checkValidity()) void submit();
  });

  /** The text of a closed form is not stored: notifies, or waits for the service, as the banner says. */
  function offerAgain(text: string): void {
    release.current();
    if (saveState.peek().kind === 'unanswered') saveWhenBack(draftKey);
    else offerDraft(draftKey, 'failure', text);
  }

  /** A form opened since may have newer fields in the draft. */
  function stored(note: Note, sent: NoteDraft): void {
    const isOpen = form.current !== null;
    const isNewer = !hasSameFields(isOpen ? fields() : (readDraft(draftKey)?.fields ?? sent), sent);
    const newer = { key: keyOfNote(note.id), fields: fields(), updatedAt: note.updatedAt };
    stopTimer();
    saveState.value = { kind: 'none' };
    if (isOpen || !isNewer) deleteDraft(draftKey);
    if (isOpen && isNewer) draftState.value = saveDraft(newer) ? 'kept' : 'unkept';
    isFinished.current = !isNewer || newer.key !== draftKey;
    if (isOpen) props.current.done(note, isNewer);
  }

  function discard(): void {
    if (saveState.value.kind === 'saving') return;
    const draft = { ...draftNow(), keptAt: Date.now() };
    isFinished.current = true;
    stopTimer();
    stopEditing();
    if (isSame(draft.fields)) deleteDraft(draftKey);
    else discardDraft(draft);
  }

  function leave(): void {
    keepPending();
    if (saveState.peek().kind === 'saving') return;
    release.current();
    if (isFinished.current || draftState.peek() === 'same') return;
    requestAnimationFrame(() => {
      const { original } = props.current;
      const isShown = 'id' in original && urlState.value.note === original.id;
      if (!isShown) offerDraft(draftKey, 'undoable');
      if (saveState.peek().kind === 'unanswered') saveWhenBack(draftKey);
    });
  }

  const keepPending = () => timer.current !== undefined && keepNow();

  /** Another tab has discarded the draft, or has typed into it. */
  function onStorage({ key, newValue }: StorageEvent): void {
    if (key !== draftKey || isFinished.current) return;
    const theirs = newValue === null ? undefined : readDraft(draftKey)?.fields;
    elsewhere.value = theirs && !hasSameFields(theirs, fields()) ? theirs : undefined;
    if (newValue === null && draftState.peek() !== 'same') keepNow();
  }

  /** Ends the choice between this form and the other tab: `chosen` becomes the draft of both. */
  function choose(chosen: NoteDraft): void {
    elsewhere.value = undefined;
    for (const name of draftFields) {
      const control = form.current?.elements.namedItem(name);
      if (control && 'value' in control) control.value = chosen[name];
    }
    last.current = chosen;
    keepNow();
    onInput();
  }

  useLayoutEffect(() => {
    if (draftState.peek() === 'same') {
      form.current?.reset();
      typed.value = given.initial;
    } else if (isSame(fields())) draftState.value = 'same';
  }, [given.original]);
  useLayoutEffect(() => {
    release.current = holdDraft(draftKey);
    const leaving = new AbortController();
    const { signal } = leaving;
    window.addEventListener('storage', onStorage, { signal });
    window.addEventListener('pagehide', keepPending, { signal });
    document.addEventListener('visibilitychange', keepPending, { signal });
    const first = form.current?.elements.namedItem(updatedAt() === undefined ? 'title' : 'content');
    if (first instanceof HTMLElement) first.focus({ preventScroll: true });
    if (first instanceof HTMLTextAreaElement && updatedAt() !== undefined) first.setSelectionRange(0, 0);
    return () => {
      leave();
      leaving.abort();
    };
  }, []);

  return {
    form,
    draftState: draftState.value,
    saveState: saveState.value,
    elsewhere: elsewhere.value,
    typed: typed.value,
    choose,
    fields,
    onInput,
    submit,
    discard,
  };
}
