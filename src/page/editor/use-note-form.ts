import { batch, untracked, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { draftFields } from '../../core/enums.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import {
  createNewDraftKey,
  createNoteDraftKey,
  findDraft,
  isUnansweredInThisTab,
  trySaveDraft,
} from '../state/drafts.ts';
import { urlState } from '../state/navigation.ts';
import { handleWriteFailureAndFormat } from '../state/note-requests.ts';
import { isOffline } from '../state/notes.ts';
import { hasMemoryOnlyItems } from '../state/page-storage.ts';
import { closeFormAndFocus } from '../ui/open-note.ts';
import { copyWithDefaultTitleAndContent } from './complete-fields.ts';
import { FormDrafts } from './form-drafts.ts';
import {
  createNoteFormState,
  findUpdateTime,
  hasFormChanges,
  isFormFinished,
  isFormSaving,
  mustChooseText,
  type NoteFormEvent,
  reduceNoteForm,
} from './note-form-state.ts';
import { readFormFields } from './read-form-fields.ts';
import { isUnreachableServiceError, resendDraftWhenOnline } from './save-drafts.ts';
import { findTextControl } from './text-control.ts';
import { deleteDraftWithUndo, notifyUnsavedDraft } from './unsaved-drafts.tsx';

export interface NoteFormProps {
  /** The same as long as the form is there. */
  readonly draftKey: string;
  /** The stored note, or the fields of a new one; the form is unchanged while it equals this. */
  readonly original: NoteDraft | Note;
  /** What the form shows first: `original`, or the fields of a draft. */
  readonly initial: NoteDraft;
  readonly save: (fields: NoteDraft) => Promise<Note>;
  /** Called when the fields are stored. `isNewer`: more was typed meanwhile, and is now a draft of the note. */
  readonly onStored: (note: Note, isNewer: boolean) => void;
  /** Called when the fields wait for an unreachable service, which gets them without the form. */
  readonly onWaiting: () => void;
  readonly onChanged?: (isChanged: boolean) => void;
}

/** Typing is written to the draft of a form at most once per this time, except for the first letter. */
const draftDelayMs = 300;

/**
 * Runs what follows from the states of a form: it writes the text as a draft until the service has stored it, saves it
 * once, and again when an unreachable service is back.
 */
export function useNoteForm(given: NoteFormProps) {
  const { draftKey } = given;
  const props = useRef(given);
  props.current = given; // what follows a response or a timer needs those of then
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [drafts] = useState(() => new FormDrafts(draftKey));
  const state = useSignal(createNoteFormState(given.original, given.initial, !hasMemoryOnlyItems(draftKey)));

  function dispatch(event: NoteFormEvent): void {
    state.value = reduceNoteForm(state.peek(), event);
  }

  const readFields = () => (form.current ? readFormFields(form.current, props.current.initial) : state.peek().fields);

  function writeDraft(): void {
    stopTimer();
    const event = drafts.writeOrDeleteDraft(state.peek());
    if (event) dispatch(event);
  }

  function stopTimer(): void {
    clearTimeout(timer.current);
    timer.current = undefined;
  }

  function writePendingDraft(): void {
    if (timer.current !== undefined) writeDraft();
  }

  function onInput(): void {
    dispatch({ kind: 'typed', fields: readFields() });
    followTyping();
  }

  function followTyping(): void {
    const isChanged = hasFormChanges(state.peek());
    if (isChanged && state.peek().draft === 'same') writeDraft();
    else timer.current ??= setTimeout(writeDraft, draftDelayMs);
    props.current.onChanged?.(isChanged);
  }

  async function submit(): Promise<void> {
    if (!form.current || isFormSaving(state.peek())) return;
    dispatch({ kind: 'submitted' });
    if (!isFormSaving(state.peek())) {
      findTextControl(form.current, 'content')?.focus();
      return;
    }
    writeDraft();
    const { fields } = state.peek();
    try {
      finishSaving(await props.current.save(copyWithDefaultTitleAndContent(fields)), fields);
    } catch (error) {
      handleSaveFailure(error, fields);
    } finally {
      if (!form.current) drafts.release();
    }
  }

  function finishSaving(note: Note, sent: NoteDraft): void {
    const isOpen = form.current !== null;
    const { fields } = state.peek();
    const latest = isOpen ? fields : (findDraft(draftKey)?.fields ?? sent); // of a form that was opened since
    const isNewer = !hasSameDraftFields(latest, sent);
    stopTimer();
    dispatch({ kind: 'stored', isNewer });
    if (!isOpen) {
      if (!isNewer) drafts.deleteOwnDraft(state.peek());
      return;
    }
    if (isNewer) writeDraftOfStoredNote(note);
    else drafts.deleteOwnDraft(state.peek());
    props.current.onStored(note, isNewer);
  }

  /** Makes the text that was typed since the save a draft of the stored note. */
  function writeDraftOfStoredNote({ id, updatedAt }: Note): void {
    const key = createNoteDraftKey(id);
    if (key === draftKey && state.peek().otherTab) {
      writeDraft();
      return;
    }
    // Without a deletion in between: another tab would take the place of the draft with its own text.
    const isKept = trySaveDraft({ key, fields: state.peek().fields, updatedAt });
    if (key === draftKey) drafts.deleteSideDraft();
    else drafts.deleteOwnDraft(state.peek());
    dispatch({ kind: 'draft written', isKept });
  }

  /** The note may be stored all the same: the next save looks for it. */
  function handleSaveFailure(error: unknown, sent: NoteDraft): void {
    const text = handleWriteFailureAndFormat('Not saved', error);
    const isUnanswered = isUnreachableServiceError(error);
    batch(() => {
      dispatch({ kind: 'failed', text, isUnanswered });
      if (!isDraftOfLaterForm()) writeDraft(); // before it is sent again
    });
    if (form.current) {
      if (isUnanswered && isWaitingWithoutForm(sent)) props.current.onWaiting();
      return;
    }
    drafts.release();
    if (isUnanswered) resendDraftWhenOnline(draftKey);
    else notifyUnsavedDraft(draftKey, 'failure', text);
  }

  /** Whether more was typed into the draft after this form was left: in a later form, or in that of another tab. */
  function isDraftOfLaterForm(): boolean {
    const { otherTab, fields } = state.peek();
    const draft = findDraft(draftKey);
    return !form.current && !otherTab && draft !== undefined && !hasSameDraftFields(draft.fields, fields);
  }

  /** Whether the draft has all that is in the form, which can be left while it waits. */
  function isWaitingWithoutForm(sent: NoteDraft): boolean {
    const { fields, draft, otherTab } = state.peek();
    return draft === 'kept' && otherTab === undefined && hasSameDraftFields(fields, sent);
  }

  const canSendAgain = useComputed(() => state.value.phase.kind === 'unanswered' && !isOffline.value);
  useSignalEffect(() => {
    if (canSendAgain.value) untracked(() => void submit());
  });

  function discard(): void {
    if (isFormSaving(state.peek())) return;
    writeDraft(); // beside that of another tab, if there is one, which stays
    const draft = { ...drafts.createOwnDraft(state.peek()), keptAt: Date.now() };
    dispatch({ kind: 'discarded' });
    drafts.deleteOwnDraft(state.peek());
    closeFormAndFocus();
    if (hasFormChanges(state.peek())) deleteDraftWithUndo(draft);
  }

  function leave(): void {
    writePendingDraft();
    if (isFormSaving(state.peek())) return; // the response releases the drafts
    drafts.release();
    if (isFormFinished(state.peek()) || state.peek().draft === 'same') return;
    requestAnimationFrame(() => {
      drafts.notifySideDraft();
      const draft = findDraft(draftKey);
      if (draft && isUnansweredInThisTab(draft)) {
        resendDraftWhenOnline(draftKey);
        return;
      }
      const { original } = props.current;
      const isShown = 'id' in original && urlState.value.note === original.id;
      if (!isShown) notifyUnsavedDraft(draftKey, 'undoable');
    });
  }

  /** Another tab has discarded the draft, or has typed into it. */
  function onStorage({ key, newValue }: StorageEvent): void {
    if (key !== draftKey) return;
    const fields = newValue === null ? undefined : findDraft(draftKey)?.fields;
    dispatch({ kind: 'draft changed in other tab', fields });
    if (newValue === null && state.peek().draft !== 'same') writeDraft();
  }

  /** Ends the choice between this form and the other tab: `chosen` becomes the draft of both. Undo restores the other. */
  function choose(chosen: NoteDraft): void {
    const { fields, otherTab } = state.peek();
    const dropped = chosen === otherTab ? fields : otherTab;
    const isDroppedTyped = mustChooseText(state.peek());
    for (const name of draftFields) {
      const control = form.current?.elements.namedItem(name);
      if (control && 'value' in control) control.value = chosen[name];
    }
    dispatch({ kind: 'draft chosen', fields: chosen });
    drafts.deleteSideDraft();
    writeDraft();
    followTyping();
    if (dropped && isDroppedTyped)
      deleteDraftWithUndo({ key: createNewDraftKey(), fields: dropped, updatedAt: undefined, keptAt: Date.now() });
  }

  useLayoutEffect(() => {
    const isUnchanged = state.peek().draft === 'same' && !hasFormChanges(state.peek());
    if (isUnchanged) form.current?.reset();
    const fields = isUnchanged ? given.initial : readFields();
    dispatch({ kind: 'original changed', original: given.original, fields });
  }, [given.original]);
  useLayoutEffect(() => {
    drafts.reserve();
    const leaving = new AbortController();
    const { signal } = leaving;
    window.addEventListener('storage', onStorage, { signal });
    window.addEventListener('pagehide', writePendingDraft, { signal });
    document.addEventListener('visibilitychange', writePendingDraft, { signal });
    focusFirstField();
    return () => {
      leave();
      leaving.abort();
    };
  }, []);

  /** The title of a new note, or the text of another one. */
  function focusFirstField(): void {
    const isNew = findUpdateTime(given.original) === undefined;
    findTextControl(form.current, isNew ? 'title' : 'content')?.focus({ preventScroll: true });
  }

  return { form, state: state.value, onInput, submit, discard, choose };
}
