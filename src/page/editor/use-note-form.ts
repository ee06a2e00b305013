import { batch, untracked, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { draftFields } from '../../core/enums.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { suggestTitle } from '../../core/text/suggest-title.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import {
  continuedDraftKey,
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
  shouldStayOpen,
} from './note-form-state.ts';
import { readFormFields } from './read-form-fields.ts';
import { isUnreachableServiceError, resendDraftWhenOnline } from './save-drafts.ts';
import { findTextControl } from './text-control.ts';
import { deleteDraftWithUndo, notifyUnsavedDraft } from './unsaved-drafts.tsx';

export interface NoteFormProps {
  /** Of the draft that the form begins with: that of a new note becomes that of the note which is created. */
  readonly draftKey: string;
  /** The stored note, or the fields of a new one; the form is unchanged while it equals this. */
  readonly original: NoteDraft | Note;
  /** What the form shows first: `original`, or the fields of a draft, or those that were saved while it was open. */
  readonly initial: NoteDraft;
  readonly save: (fields: NoteDraft) => Promise<Note>;
  /**
   * Called when the fields are stored. `shown`: what is in the form, if that stays open, now for this note; more than
   * what is stored if somebody has typed meanwhile.
   */
  readonly onStored: (note: Note, shown: NoteDraft | undefined) => void;
  /** Called when the form is open, and its fields were not stored; they are in its draft. */
  readonly onFailed?: (error: unknown, fields: NoteDraft) => void;
  /** Called when the fields wait for an unreachable service, which gets them without the form. */
  readonly onWaiting: () => void;
  readonly onChanged?: (isChanged: boolean) => void;
}

/** Typing is written to the draft of a form at most once per this time, except for the first letter. */
const draftDelayMs = 300;

/** Whether the form of a draft is opened to continue it. True once. */
function takeContinuation(draftKey: string): boolean {
  const isContinued = continuedDraftKey.peek() === draftKey;
  if (isContinued) continuedDraftKey.value = undefined;
  return isContinued;
}

/**
 * Runs what follows from the states of a form: it writes the text as a draft until the service has stored it, saves it
 * once, and again when an unreachable service is back.
 */
export function useNoteForm(given: NoteFormProps) {
  const props = useRef(given);
  props.current = given; // what follows a response or a timer needs those of then
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [drafts] = useState(() => new FormDrafts(given.draftKey));
  const [isContinued] = useState(() => takeContinuation(given.draftKey));
  const state = useSignal(createNoteFormState(given.original, given.initial, !hasMemoryOnlyItems(given.draftKey)));

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

  async function submit(staysOpen: boolean): Promise<void> {
    if (!form.current) return;
    const isSavedAlready = isFormSaving(state.peek());
    dispatch({ kind: 'submitted', staysOpen });
    if (isSavedAlready) return;
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
    const latest = isOpen ? fields : (findDraft(drafts.key)?.fields ?? sent); // of a form that was opened since
    const isNewer = !hasSameDraftFields(latest, sent);
    const staysOpen = isOpen && (isNewer || shouldStayOpen(state.peek()));
    stopTimer();
    dispatch({ kind: 'stored', staysOpen });
    if (staysOpen) goOnWithStoredNote(note, sent, isNewer);
    else if (!isNewer) drafts.deleteOwnDraft(state.peek());
    if (isOpen && !staysOpen) props.current.onStored(note, undefined);
  }

  /** Somebody else may have changed other parts of the note: then its newer text is shown, or merged by the next save. */
  function goOnWithStoredNote(note: Note, sent: NoteDraft, isNewer: boolean): void {
    const isAsSent = hasSameDraftFields(note, copyWithDefaultTitleAndContent(sent));
    if (isNewer && !isAsSent) {
      writeDraft();
      return;
    }
    if (isNewer) writeDraftOfStoredNote(note);
    else deleteDraftOfStoredNote();
    if (!isAsSent) showFields(note);
    moveDraftsToNote(note);
    props.current.onChanged?.(isNewer);
    props.current.onStored(note, isAsSent ? state.peek().fields : note);
  }

  function deleteDraftOfStoredNote(): void {
    drafts.deleteOwnDraft(state.peek());
    dispatch({ kind: 'draft deleted' });
  }

  /** What another tab has of the draft of a new note stays there. */
  function moveDraftsToNote({ id }: Note): void {
    if (createNoteDraftKey(id) === drafts.key) return;
    drafts.moveTo(createNoteDraftKey(id));
    dispatch({ kind: 'draft changed in other tab', fields: undefined });
  }

  /** Makes the text that was typed since the save a draft of the stored note. */
  function writeDraftOfStoredNote({ id, updatedAt }: Note): void {
    const key = createNoteDraftKey(id);
    if (key === drafts.key && state.peek().otherTab) {
      writeDraft();
      return;
    }
    // Without a deletion in between: another tab would take the place of the draft with its own text.
    const isKept = trySaveDraft({ key, fields: state.peek().fields, updatedAt });
    if (key === drafts.key) drafts.deleteSideDraft();
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
      else props.current.onFailed?.(error, state.peek().fields);
      return;
    }
    drafts.release();
    if (isUnanswered) resendDraftWhenOnline(drafts.key);
    else notifyUnsavedDraft(drafts.key, 'failure', text);
  }

  /** Whether more was typed into the draft after this form was left: in a later form, or in that of another tab. */
  function isDraftOfLaterForm(): boolean {
    const { otherTab, fields } = state.peek();
    const draft = findDraft(drafts.key);
    return !form.current && !otherTab && draft !== undefined && !hasSameDraftFields(draft.fields, fields);
  }

  /** Whether the draft has all that is in the form, which can be left while it waits. */
  function isWaitingWithoutForm(sent: NoteDraft): boolean {
    const { fields, draft, otherTab } = state.peek();
    const isComplete = draft === 'kept' && otherTab === undefined && hasSameDraftFields(fields, sent);
    return isComplete && !shouldStayOpen(state.peek());
  }

  const canSendAgain = useComputed(() => state.value.phase.kind === 'unanswered' && !isOffline.value);
  useSignalEffect(() => {
    if (canSendAgain.value) untracked(() => void submit(shouldStayOpen(state.peek())));
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
      const draft = findDraft(drafts.key);
      if (draft && isUnansweredInThisTab(draft)) {
        resendDraftWhenOnline(drafts.key);
        return;
      }
      const { original } = props.current;
      const isShown = 'id' in original && urlState.value.note === original.id;
      if (!isShown) notifyUnsavedDraft(drafts.key, 'undoable');
    });
  }

  /** Another tab has discarded the draft, or has typed into it. */
  function onStorage({ key, newValue }: StorageEvent): void {
    if (key !== drafts.key) return;
    const fields = newValue === null ? undefined : findDraft(drafts.key)?.fields;
    dispatch({ kind: 'draft changed in other tab', fields });
    if (newValue === null && state.peek().draft !== 'same') writeDraft();
  }

  /** Ends the choice between this form and the other tab: `chosen` becomes the draft of both. Undo restores the other. */
  function choose(chosen: NoteDraft): void {
    const { fields, otherTab } = state.peek();
    const dropped = chosen === otherTab ? fields : otherTab;
    const isDroppedTyped = mustChooseText(state.peek());
    showFields(chosen);
    dispatch({ kind: 'draft chosen', fields: chosen });
    drafts.deleteSideDraft();
    writeDraft();
    followTyping();
    if (dropped && isDroppedTyped)
      deleteDraftWithUndo({ key: createNewDraftKey(), fields: dropped, updatedAt: undefined, keptAt: Date.now() });
  }

  function showFields(shown: NoteDraft): void {
    for (const name of draftFields) {
      const control = form.current?.elements.namedItem(name);
      if (control && 'value' in control) control.value = shown[name];
    }
  }

  useLayoutEffect(() => {
    const isUnchanged = state.peek().draft === 'same' && !hasFormChanges(state.peek());
    const isOther = hasFormChanges({ ...state.peek(), fields: readFields(), original: given.original });
    if (isUnchanged && isOther) form.current?.reset();
    const fields = isUnchanged && isOther ? given.initial : readFields();
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

  /**
   * The title of a new note, with the caret at its end; the text of another one, and of a new one whose title was filled
   * in for it. A title that is suggested from the text, as after a paste, is selected: what is typed replaces it. A draft
   * goes on in its text, or in its title while it has none.
   */
  function focusFirstField(): void {
    const { title, content } = state.peek().fields;
    const isNew = findUpdateTime(given.original) === undefined;
    const hasTitleAlone = title !== '' && content === '';
    const isSuggested = title === suggestTitle(content);
    if (isNew) findTextControl(form.current, 'title')?.setSelectionRange(isSuggested ? 0 : title.length, title.length);
    const goesOnInText = isContinued ? content !== '' : hasTitleAlone;
    findTextControl(form.current, isNew && !goesOnInText ? 'title' : 'content')?.focus({ preventScroll: true });
  }

  return { form, state: state.value, isContinued, onInput, submit, discard, choose };
}
