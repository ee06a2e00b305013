/**
 * The states of a note's form, and what each event makes of them. Nothing here has an effect: `use-note-form.ts` tells
 * this reducer what has happened, and then writes drafts, saves, and moves the focus.
 *
 * The phases of a form:
 *
 *     typing ── submitted ──▶ saving ── stored ──▶ stored (or typing, if the form stays open)
 *       ▲                       │
 *       ├── typed ── failed ◀───┤  the service said no: the user decides what to do
 *       └── typed ── unanswered ◀  the service was unreachable: submitted again once it is back
 *
 *     failed or unanswered ── submitted ──▶ saving
 *     typing, failed or unanswered ── discarded ──▶ discarded
 *
 * `stored` and `discarded` are final: no event changes them. A form stays open if the user wants to go on in it (Ctrl+S),
 * or if more was typed meanwhile: then it is the form of the stored note, also if it was that of a new one.
 */
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import { copyWithDefaultTitleAndContent } from './complete-fields.ts';

type NoteFormPhase =
  | { readonly kind: 'typing' | 'stored' | 'discarded' }
  /** `staysOpen`: the user goes on in the form once it is stored. */
  | { readonly kind: 'saving' | 'unanswered'; readonly staysOpen: boolean }
  | { readonly kind: 'failed'; readonly text: string };

/**
 * Where the text of the form is. `same`: it is the original, and there is no draft. `kept`: this browser has stored it
 * as a draft. `unkept`: the browser refused to store it.
 */
export type FormDraftStatus = 'same' | 'kept' | 'unkept';

export interface NoteFormState {
  readonly phase: NoteFormPhase;
  /** The stored note, or the fields that a new one begins with. */
  readonly original: NoteDraft | Note;
  /** The fields in the form. */
  readonly fields: NoteDraft;
  readonly draft: FormDraftStatus;
  /** What another tab has made of the draft, until the user has chosen between that and `fields`. */
  readonly otherTab: NoteDraft | undefined;
  /** What keeps the fields from being stored, in words for the user. */
  readonly fault: string | undefined;
}

export type NoteFormEvent =
  | { readonly kind: 'typed'; readonly fields: NoteDraft }
  | { readonly kind: 'submitted'; readonly staysOpen: boolean }
  | { readonly kind: 'stored'; readonly staysOpen: boolean }
  | { readonly kind: 'failed'; readonly text: string; readonly isUnanswered: boolean }
  | { readonly kind: 'discarded' }
  | { readonly kind: 'draft written'; readonly isKept: boolean }
  | { readonly kind: 'draft deleted' }
  /** `fields`: the draft of the other tab; undefined if it has discarded or stored that. */
  | { readonly kind: 'draft changed in other tab'; readonly fields: NoteDraft | undefined }
  | { readonly kind: 'draft chosen'; readonly fields: NoteDraft }
  | { readonly kind: 'original changed'; readonly original: NoteDraft | Note; readonly fields: NoteDraft };

/** The state of a form that shows `fields`, which are those of a draft unless they are the original. */
export const createNoteFormState = (
  original: NoteDraft | Note,
  fields: NoteDraft,
  isDraftKept: boolean,
): NoteFormState => ({
  phase: { kind: 'typing' },
  original,
  fields,
  draft: fields === original ? 'same' : toDraftStatus(isDraftKept),
  otherTab: undefined,
  fault: undefined,
});

/** When the note was changed last; undefined for a note that is new. */
export const findUpdateTime = (original: NoteDraft | Note): string | undefined =>
  'updatedAt' in original ? original.updatedAt : undefined;

const toDraftStatus = (isKept: boolean): FormDraftStatus => (isKept ? 'kept' : 'unkept');

export const isFormSaving = ({ phase }: NoteFormState): boolean => phase.kind === 'saving';

/** Whether the form has done its work, so that its fields need no draft any more. */
export const isFormFinished = ({ phase }: NoteFormState): boolean =>
  phase.kind === 'stored' || phase.kind === 'discarded';

export const shouldStayOpen = ({ phase }: NoteFormState): boolean =>
  (phase.kind === 'saving' || phase.kind === 'unanswered') && phase.staysOpen;

/** Whether the form has what is not stored. What is completed when it is saved, such as a missing title, is no change. */
export const hasFormChanges = ({ fields, original }: NoteFormState): boolean =>
  !hasSameDraftFields(fields, original) &&
  !(findUpdateTime(original) !== undefined && hasSameDraftFields(copyWithDefaultTitleAndContent(fields), original));

/** Whether the user has to choose between the text of another tab and this one, which is not the original. */
export const mustChooseText = (state: NoteFormState): boolean => state.otherTab !== undefined && hasFormChanges(state);

export function reduceNoteForm(state: NoteFormState, event: NoteFormEvent): NoteFormState {
  if (isFormFinished(state)) return state;
  switch (event.kind) {
    case 'typed':
      return reduceTyped(state, event.fields);
    case 'submitted':
      return reduceSubmitted(state, event.staysOpen);
    case 'stored':
      return { ...state, phase: { kind: event.staysOpen ? 'typing' : 'stored' } };
    case 'failed':
      return reduceFailed(state, event);
    case 'discarded':
      return isFormSaving(state) ? state : { ...state, phase: { kind: 'discarded' } };
    case 'draft written':
      return copyWithDraftState(state, toDraftStatus(event.isKept));
    case 'draft deleted':
      return copyWithDraftState(state, 'same');
    case 'draft changed in other tab':
      return { ...state, otherTab: findDifferentFields(state, event.fields) };
    case 'draft chosen':
      return reduceTyped({ ...state, otherTab: undefined }, event.fields);
    case 'original changed':
      return reduceOriginalChanged(state, event.original, event.fields);
  }
}

/** The same state if nothing changes, so that nothing is drawn again. */
const copyWithDraftState = (state: NoteFormState, draft: FormDraftStatus): NoteFormState =>
  state.draft === draft ? state : { ...state, draft };

function reduceTyped(before: NoteFormState, fields: NoteDraft): NoteFormState {
  const state = { ...before, fields, fault: undefined };
  return {
    ...state,
    otherTab: findDifferentFields(state, before.otherTab),
    phase: isFormSaving(state) ? state.phase : { kind: 'typing' },
    draft: hasFormChanges(state) ? state.draft : 'same',
  };
}

/** A form that is saved already stays open, or is left, as the user wanted last. */
function reduceSubmitted(state: NoteFormState, staysOpen: boolean): NoteFormState {
  if (isFormSaving(state) && shouldStayOpen(state) === staysOpen) return state;
  const fault = findFieldsFault(state.fields);
  if (fault !== undefined && !isFormSaving(state)) return { ...state, fault };
  return { ...state, fault: undefined, phase: { kind: 'saving', staysOpen } };
}

function reduceFailed(
  state: NoteFormState,
  { text, isUnanswered }: Extract<NoteFormEvent, { kind: 'failed' }>,
): NoteFormState {
  const staysOpen = shouldStayOpen(state);
  return { ...state, phase: isUnanswered ? { kind: 'unanswered', staysOpen } : { kind: 'failed', text } };
}

const findFieldsFault = ({ title, content }: NoteDraft): string | undefined =>
  title.trim() === '' && content === '' ? 'Write a title or a text first' : undefined;

const findDifferentFields = ({ fields }: NoteFormState, others: NoteDraft | undefined) =>
  others && !hasSameDraftFields(others, fields) ? others : undefined;

function reduceOriginalChanged(before: NoteFormState, original: NoteDraft | Note, fields: NoteDraft): NoteFormState {
  const state = { ...before, original, fields };
  return hasFormChanges(state) ? state : { ...state, draft: 'same' };
}

/**
 * What to do with the draft of a form, so that no typed text is lost. `write beside`: another tab has the draft, and
 * the fields of this form become a draft of their own.
 */
type DraftWrite = 'none' | 'delete' | 'write' | 'write beside';

export function decideDraftWrite(state: NoteFormState): DraftWrite {
  if (isFormFinished(state)) return 'none';
  if (state.otherTab) return mustChooseText(state) ? 'write beside' : 'none';
  const isSubmitted = state.phase.kind === 'unanswered' || state.phase.kind === 'failed';
  return hasFormChanges(state) || isSubmitted ? 'write' : 'delete';
}
