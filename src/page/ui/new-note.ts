/** Begins new notes: each has its draft and the same form. */

import type { NoteDraft } from '../../core/note.ts';
import { closeDialog } from '../state/dialog.ts';
import {
  continuedDraftKey,
  createAndSaveDraft,
  createNewDraftKey,
  type Draft,
  findClosedDraft,
  isUnansweredInThisTab,
  newFormDraftKey,
  newFormFields,
} from '../state/drafts.ts';
import { searchedWords } from '../state/listed-notes.ts';
import { changeUrlState, editedNoteId, pushFormEntry, urlState } from '../state/navigation.ts';
import { notifyLoadFailureOnce } from './lazy-parts.ts';
import { flushSync, focusWhenPresent, tryFocus } from './move-focus.ts';
import { isFocusInNote } from './open-note.ts';

/** The fields of an empty note that passes the current filters. */
export function createEmptyDraft(): NoteDraft {
  const {
    category: [category = 'notes'],
    group: [group = 'first'],
  } = urlState.value;
  return { title: '', content: '', category, group, color: 'neutral' };
}

/** Begins a note with a pasted text. What guesses its title and category is loaded with the form. */
export const openPastedNote = (text: string): void =>
  void import('../late-views.tsx').then(
    (part) => openNewNoteWithUserText(part.createPastedDraft(text)),
    notifyLoadFailureOnce,
  );

/** Opens the form of a new note with a text of the user, such as a pasted one, which is a draft from the start. */
export const openNewNoteWithUserText = (fields: NoteDraft): void => openNewNoteFormByKey(createAndSaveDraft(fields));

/** Opens the form of a new note with these fields, which are no draft until they are changed. */
export const openNewNoteWithFields = (fields: Partial<NoteDraft>): void =>
  openNewNoteFormByKey(createNewDraftKey(), fields);

/** Opens the form of a new note, or the draft that this tab left, unless that only waits for the service. */
export function openNewNoteOrClosedDraft(): void {
  if (editedNoteId.value === 'new') return void focusWhenPresent('#detail [name=title]');
  const left = findClosedDraft(newFormDraftKey.value);
  if (left && !isUnansweredInThisTab(left)) openNewNoteDraft(left);
  else openNewNoteFormByKey(createNewDraftKey());
}

/** In characters. Servers refuse the URLs of longer queries. */
export const maxQueryLength = 1_000;

/** The line that was pasted into the search last, of which the search shows no more than its length allows. */
let lastPastedLine = '';

export function rememberPastedLine(text: string): void {
  lastPastedLine = text.replaceAll('\n', '');
}

/** Begins a note with what was searched for: a pasted line is its text as well, typed words are its title. */
export function openNewNoteFromSearch(): void {
  const isPasted = urlState.value.query === lastPastedLine.slice(0, maxQueryLength);
  if (isPasted) openPastedNote(lastPastedLine.trim());
  else openNewNoteWithFields({ title: searchedWords.value });
}

/** Continues a draft at the end of its text, or of its title while it has no text. */
export function openNewNoteDraft({ key }: Draft): void {
  continuedDraftKey.value = key;
  openNewNoteFormByKey(key);
}

function openNewNoteFormByKey(key: string, fields: Partial<NoteDraft> = {}): void {
  flushSync(() => {
    closeDialog();
    pushFormEntry();
    changeUrlState({ note: undefined }, 'replace');
    newFormDraftKey.value = key;
    newFormFields.value = fields;
    editedNoteId.value = 'new';
  });
  if (!isFocusInNote()) tryFocus('#detail [name=title]');
}
