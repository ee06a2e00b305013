/** Every state of a form, and what each event makes of it. */
import { describe, expect, test } from 'bun:test';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import {
  createNoteFormState,
  decideDraftWrite,
  hasFormChanges,
  isFormFinished,
  isFormSaving,
  mustChooseText,
  type NoteFormEvent,
  type NoteFormState,
  reduceNoteForm,
  shouldStayOpen,
} from './note-form-state.ts';

const blank: NoteDraft = { title: '', content: '', category: 'notes', group: 'first', color: 'neutral' };
const note: Note = createPortableNote(7, { ...blank, title: 'Tea', content: 'green' });
const changed: NoteDraft = { ...note, content: 'black' };
const more: NoteDraft = { ...note, content: 'black, with milk' };
const theirs: NoteDraft = { ...note, content: 'red' };

const reduceAll = (state: NoteFormState, ...events: readonly NoteFormEvent[]): NoteFormState =>
  events.reduce(reduceNoteForm, state);

const unchanged = createNoteFormState(note, note, true);
const drafted = reduceAll(unchanged, { kind: 'typed', fields: changed }, { kind: 'draft written', isKept: true });
const saving = reduceAll(drafted, { kind: 'submitted', staysOpen: false });
const failed = reduceAll(saving, { kind: 'failed', text: 'Not saved: full', isUnanswered: false });
const unanswered = reduceAll(saving, { kind: 'failed', text: 'Not saved', isUnanswered: true });
const stored = reduceAll(saving, { kind: 'stored', staysOpen: false });
const discarded = reduceAll(drafted, { kind: 'discarded' });
const inOtherTab = reduceAll(drafted, { kind: 'draft changed in other tab', fields: theirs });
const newNote = reduceAll(createNoteFormState(blank, blank, true), { kind: 'typed', fields: changed });

describe('The form of a note', () => {
  test('begins unchanged with the note itself', () => {
    expect(unchanged).toMatchObject({ phase: { kind: 'typing' }, draft: 'same', fields: note });
    expect(hasFormChanges(unchanged)).toBe(false);
  });

  test.each([
    [true, 'kept'],
    [false, 'unkept'],
  ] as const)('begins with a draft, stored by the browser: %p', (isKept, draft) => {
    expect(createNoteFormState(note, changed, isKept)).toMatchObject({ draft, fields: changed, original: note });
  });

  test('of a draft that equals the note is unchanged as soon as it is shown', () => {
    const state = createNoteFormState(note, { ...note }, true);

    expect(reduceAll(state, { kind: 'original changed', original: note, fields: { ...note } }).draft).toBe('same');
  });
});

describe('Typing', () => {
  test('changes the fields; the draft is written afterwards', () => {
    const state = reduceAll(unchanged, { kind: 'typed', fields: changed });

    expect(state).toMatchObject({ fields: changed, draft: 'same' });
    expect(decideDraftWrite(state)).toBe('write');
    expect(reduceAll(state, { kind: 'draft written', isKept: true }).draft).toBe('kept');
    expect(reduceAll(state, { kind: 'draft written', isKept: false }).draft).toBe('unkept');
  });

  test('goes on with a draft', () => {
    const state = reduceAll(drafted, { kind: 'typed', fields: more });

    expect(state).toMatchObject({ fields: more, draft: 'kept' });
    expect(decideDraftWrite(state)).toBe('write');
  });

  test('back to the original ends the draft', () => {
    const state = reduceAll(drafted, { kind: 'typed', fields: { ...note } });

    expect(state.draft).toBe('same');
    expect(decideDraftWrite(state)).toBe('delete');
    expect(reduceAll(state, { kind: 'draft deleted' })).toBe(state);
  });

  test('takes back what was said about a fault, a failure, or a service that is away', () => {
    const faulty = reduceAll(newNote, { kind: 'typed', fields: blank }, { kind: 'submitted', staysOpen: false });
    const states = [faulty, failed, unanswered].map((state) => reduceAll(state, { kind: 'typed', fields: more }));

    expect(states.map(({ phase, fault }) => ({ phase, fault }))).toEqual(
      Array.from({ length: 3 }, () => ({ phase: { kind: 'typing' }, fault: undefined })),
    );
  });

  test('while the form is saved does not end the saving', () => {
    expect(reduceAll(saving, { kind: 'typed', fields: more })).toMatchObject({
      phase: { kind: 'saving' },
      fields: more,
    });
  });
});

describe('A change of the note elsewhere', () => {
  const newer: Note = { ...note, content: 'white', updatedAt: '2026-01-05T11:00:00.000Z' };

  test('is followed by an unchanged form', () => {
    const state = reduceAll(unchanged, { kind: 'original changed', original: newer, fields: newer });

    expect(state).toMatchObject({ original: newer, fields: newer, draft: 'same' });
  });

  test('leaves a changed form as it is', () => {
    const state = reduceAll(drafted, { kind: 'original changed', original: newer, fields: changed });

    expect(state).toMatchObject({ original: newer, fields: changed, draft: 'kept' });
  });

  test('to the same text ends the draft', () => {
    const same = { ...newer, content: changed.content };
    const state = reduceAll(drafted, { kind: 'original changed', original: same, fields: changed });

    expect([state.draft, decideDraftWrite(state)]).toEqual(['same', 'delete']);
  });
});

describe('Another tab', () => {
  test('that types into the draft offers a choice; both texts are drafts until then', () => {
    expect(inOtherTab).toMatchObject({ otherTab: theirs, fields: changed, draft: 'kept' });
    expect(decideDraftWrite(inOtherTab)).toBe('write beside');
  });

  test('that has the draft of a form without changes needs no second one', () => {
    const state = reduceAll(unchanged, { kind: 'draft changed in other tab', fields: theirs });

    expect([state.otherTab, decideDraftWrite(state)]).toEqual([theirs, 'none']);
    expect(mustChooseText(state)).toBe(false);
  });

  test('that has the text which is typed here leaves nothing to choose', () => {
    const state = reduceAll(inOtherTab, { kind: 'typed', fields: { ...theirs } });

    expect([mustChooseText(inOtherTab), mustChooseText(state), state.otherTab]).toEqual([true, false, undefined]);
    expect(decideDraftWrite(state)).toBe('write');
  });

  test('that types the same leaves nothing to choose', () => {
    const state = reduceAll(inOtherTab, { kind: 'draft changed in other tab', fields: { ...changed } });

    expect([state.otherTab, decideDraftWrite(state)]).toEqual([undefined, 'write']);
  });

  test('that discards or stores the draft leaves this text, which is written again', () => {
    const state = reduceAll(inOtherTab, { kind: 'draft changed in other tab', fields: undefined });

    expect(state).toMatchObject({ otherTab: undefined, fields: changed });
    expect(decideDraftWrite(state)).toBe('write');
  });

  test('may keep typing: the choice is between the latest texts', () => {
    const state = reduceAll(
      inOtherTab,
      { kind: 'typed', fields: more },
      { kind: 'draft changed in other tab', fields: { ...theirs, title: 'Red tea' } },
    );

    expect(state).toMatchObject({ fields: more, otherTab: { title: 'Red tea' } });
  });

  test.each([
    ['this', changed],
    ['the other', theirs],
  ])('is answered by the choice of %s text, which becomes the one draft', (_, chosen) => {
    const state = reduceAll(inOtherTab, { kind: 'draft chosen', fields: chosen });

    expect(state).toMatchObject({ fields: chosen, otherTab: undefined, phase: { kind: 'typing' } });
    expect(decideDraftWrite(state)).toBe('write');
  });

  test('is answered by the original: then there is no draft', () => {
    const state = reduceAll(inOtherTab, { kind: 'draft chosen', fields: note });

    expect([state.draft, decideDraftWrite(state)]).toEqual(['same', 'delete']);
  });
});

describe('Saving', () => {
  test('begins when the form is submitted, with a draft until the response', () => {
    expect(isFormSaving(saving)).toBe(true);
    expect(decideDraftWrite(saving)).toBe('write');
  });

  test('does not begin twice, and cannot be discarded', () => {
    expect(reduceAll(saving, { kind: 'submitted', staysOpen: false })).toBe(saving);
    expect(reduceAll(saving, { kind: 'discarded' })).toBe(saving);
  });

  test('leaves the form, or lets it open, as the user wanted last', () => {
    const staying = reduceAll(saving, { kind: 'submitted', staysOpen: true });

    expect([saving, staying].map(shouldStayOpen)).toEqual([false, true]);
    expect(shouldStayOpen(reduceAll(staying, { kind: 'submitted', staysOpen: false }))).toBe(false);
    expect(isFormSaving(staying)).toBe(true);
  });

  test.each([
    ['nothing', blank],
    ['spaces as title', { ...blank, title: '  ' }],
  ])('%s says what is missing', (_, fields) => {
    const state = reduceAll(newNote, { kind: 'typed', fields }, { kind: 'submitted', staysOpen: false });

    expect(state).toMatchObject({ phase: { kind: 'typing' }, fault: 'Write a title or a text first' });
  });

  test.each([
    ['title', { ...blank, title: 'Tea' }],
    ['text', { ...blank, content: ' ' }],
  ])('a %s alone begins', (_, fields) => {
    const state = reduceAll(newNote, { kind: 'typed', fields }, { kind: 'submitted', staysOpen: false });

    expect([isFormSaving(state), state.fault]).toEqual([true, undefined]);
  });

  test('begins again after a failure, or without a response', () => {
    expect(
      [failed, unanswered].map((state) => isFormSaving(reduceAll(state, { kind: 'submitted', staysOpen: false }))),
    ).toEqual([true, true]);
  });
});

describe('A failure', () => {
  test('is said, and leaves the draft', () => {
    expect(failed).toMatchObject({
      phase: { kind: 'failed', text: 'Not saved: full' },
      fields: changed,
      draft: 'kept',
    });
    expect(decideDraftWrite(failed)).toBe('write');
  });

  test('makes a draft of what the page itself has filled in: the user wants to store it', () => {
    const example = createNoteFormState(changed, changed, true);
    const state = reduceAll(
      example,
      { kind: 'submitted', staysOpen: false },
      { kind: 'failed', text: 'full', isUnanswered: false },
    );

    expect([example, state].map(decideDraftWrite)).toEqual(['delete', 'write']);
  });

  test('can be discarded', () => {
    expect(reduceAll(failed, { kind: 'discarded' }).phase.kind).toBe('discarded');
  });
});

describe('A save without a response', () => {
  test('waits with its draft, also where the text is the original: the service may have it', () => {
    const original = reduceAll(
      unchanged,
      { kind: 'submitted', staysOpen: false },
      { kind: 'failed', text: '', isUnanswered: true },
    );

    expect(unanswered.phase).toEqual({ kind: 'unanswered', staysOpen: false });
    expect([unanswered, original].map(decideDraftWrite)).toEqual(['write', 'write']);
  });

  test('can be discarded', () => {
    expect(reduceAll(unanswered, { kind: 'discarded' }).phase.kind).toBe('discarded');
  });

  test('lets the form open if that was wanted', () => {
    const state = reduceAll(
      drafted,
      { kind: 'submitted', staysOpen: true },
      { kind: 'failed', text: 'Not saved', isUnanswered: true },
    );

    expect([unanswered, state].map(shouldStayOpen)).toEqual([false, true]);
  });

  test('ends by a response', () => {
    expect(
      reduceAll(unanswered, { kind: 'submitted', staysOpen: false }, { kind: 'stored', staysOpen: false }).phase.kind,
    ).toBe('stored');
  });
});

describe('A stored form', () => {
  test('is finished, and needs no draft', () => {
    expect([isFormFinished(stored), decideDraftWrite(stored)]).toEqual([true, 'none']);
  });

  test('goes on if it stays open, with what was typed meanwhile', () => {
    const state = reduceAll(saving, { kind: 'typed', fields: more }, { kind: 'stored', staysOpen: true });

    expect(state).toMatchObject({ phase: { kind: 'typing' }, fields: more });
    expect(decideDraftWrite(state)).toBe('write');
  });

  test('of a new note goes on as that of the note which was created', () => {
    const created = { ...note, ...changed };
    const state = reduceAll(
      newNote,
      { kind: 'submitted', staysOpen: true },
      { kind: 'stored', staysOpen: true },
      { kind: 'draft deleted' },
      { kind: 'original changed', original: created, fields: changed },
    );

    expect(state).toMatchObject({ phase: { kind: 'typing' }, original: created, draft: 'same' });
    expect([hasFormChanges(state), decideDraftWrite(state)]).toEqual([false, 'delete']);
  });

  test('has no change in a text that was completed when it was saved, until that is changed', () => {
    const created = { ...note, title: 'Tea', content: 'Tea' };
    const titleAlone = { ...blank, title: 'Tea' };
    const state = reduceAll(newNote, { kind: 'original changed', original: created, fields: titleAlone });

    expect(hasFormChanges(state)).toBe(false);
    expect(hasFormChanges(reduceAll(state, { kind: 'typed', fields: { ...titleAlone, content: 'g' } }))).toBe(true);
  });
});

describe('A discarded form', () => {
  test('is finished, and needs no draft', () => {
    expect([isFormFinished(discarded), decideDraftWrite(discarded)]).toEqual([true, 'none']);
  });
});

test('a finished form is changed by no event', () => {
  const events: NoteFormEvent[] = [
    { kind: 'typed', fields: more },
    { kind: 'submitted', staysOpen: false },
    { kind: 'stored', staysOpen: true },
    { kind: 'failed', text: 'Not saved', isUnanswered: true },
    { kind: 'discarded' },
    { kind: 'draft written', isKept: false },
    { kind: 'draft deleted' },
    { kind: 'draft changed in other tab', fields: theirs },
    { kind: 'draft chosen', fields: theirs },
    { kind: 'original changed', original: theirs, fields: theirs },
  ];

  for (const event of events) {
    expect(reduceNoteForm(stored, event)).toBe(stored);
    expect(reduceNoteForm(discarded, event)).toBe(discarded);
  }
});
