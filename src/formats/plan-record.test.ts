import { expect, test } from 'bun:test';
import { copyWithoutId, createPortableNote } from '../../test/support/sample-notes.ts';
import type { Note, PortableNote } from '../core/note.ts';
import { type ImportAction, type Known, type KnownSource, planRecord } from './plan-record.ts';
import type { NoteRecord } from './record.ts';

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** Origins whose hashes are words, followed by the time of the source if it states one. */
const origin = (title: string, content: string, at?: number) => {
  const taken = [title, content, 'notes first info', at === undefined ? [] : time(at)].flat().join(' ');
  return { key: 'vault:a.md', taken };
};

const createNote = (fields: Partial<Note> = {}): Note => ({
  ...createPortableNote(7),
  title: 'a',
  content: 'old',
  createdAt: time(0),
  updatedAt: time(1),
  ...fields,
});

const createRecord = (fields: Partial<Note>, others: Partial<NoteRecord> = {}): NoteRecord => ({
  kind: 'note',
  location: 'a.md',
  note: copyWithoutId(createNote(fields)),
  ...others,
});

const withId = (fields: Partial<Note>, others: Partial<NoteRecord> = {}): NoteRecord => ({
  ...createRecord(fields, others),
  note: createNote(fields),
});

/** A note that was imported as it is, unless it is said to be edited. */
const createSource = (fields: Partial<Note> = {}, edited: Partial<KnownSource> = {}): KnownSource => ({
  storedNote: createNote(fields),
  noteFingerprint: origin('a', 'old').taken,
  isRecordStored: false,
  ...edited,
});

interface Case {
  readonly record: NoteRecord;
  readonly known: Known;
  /** What the action must have, among others. */
  readonly action: {
    readonly do: ImportAction['do'];
    readonly as?: 'unchanged' | 'versions' | 'left';
    readonly note?: Partial<PortableNote>;
    readonly version?: Partial<PortableNote>;
  };
}

const newer = createRecord({ content: 'new', updatedAt: time(5) });
const dated = createRecord({ content: 'new', updatedAt: time(5) }, { isDated: true });
const [last, next] = [origin('a', 'old').taken, origin('a', 'new')];
const editedNote = { title: 'a', content: 'mine', updatedAt: time(9) };
const edited = createSource(editedNote, { noteFingerprint: origin('a', 'mine').taken });
const renamed = createRecord({ title: 'Filename', content: 'old' }, { formerTitle: 'a' });

test.each<[string, Case]>([
  ['a new note is added', { record: newer, known: {}, action: { do: 'add', note: newer.note } }],
  [
    'a new note of a source is added with its origin',
    { record: newer, known: { origin: next }, action: { do: 'add', note: { ...newer.note, origin: next } } },
  ],
  [
    'a note with an id is merged, and the store decides',
    { record: withId({}), known: {}, action: { do: 'merge', note: createNote() } },
  ],
  [
    'a note whose text another one has is there already',
    { record: newer, known: { duplicate: {} }, action: { do: 'count', as: 'unchanged' } },
  ],
  [
    'a note with the text of a source gets its origin, unless another source owns it',
    {
      record: newer,
      known: { origin: next, duplicate: { note: createNote({ id: 3 }) } },
      action: { do: 'merge', note: { ...createNote({ id: 3 }), origin: next } },
    },
  ],
  [
    'a note with the text of a source, which another source owns, is there already',
    { record: newer, known: { origin: next, duplicate: {} }, action: { do: 'count', as: 'unchanged' } },
  ],
  [
    'a source that has not changed is there already',
    { record: newer, known: { origin: next, lastFingerprint: next.taken }, action: { do: 'count', as: 'unchanged' } },
  ],
  [
    'a source that has changed replaces its note, which stays archived',
    {
      record: newer,
      known: { origin: next, lastFingerprint: last, source: createSource({ archived: true }) },
      action: { do: 'merge', note: { id: 7, content: 'new', archived: true, updatedAt: time(5), origin: next } },
    },
  ],
  [
    'a source without a later time replaces its note, which rises by a millisecond',
    {
      record: createRecord({ content: 'new' }),
      known: { origin: next, lastFingerprint: last, source: createSource() },
      action: { do: 'merge', note: { content: 'new', updatedAt: time(1).replace('.000Z', '.001Z'), origin: next } },
    },
  ],
  [
    'a source that has changed before its note was edited becomes a version',
    {
      record: newer,
      known: { origin: next, lastFingerprint: last, source: edited },
      action: {
        do: 'add version',
        note: { content: 'mine', updatedAt: time(9), origin: next },
        version: { id: 7, content: 'new', updatedAt: time(5) },
      },
    },
  ],
  [
    'a source that has changed after its note was edited replaces the note',
    {
      record: createRecord({ content: 'new', updatedAt: time(10) }),
      known: { origin: next, lastFingerprint: last, source: edited },
      action: { do: 'merge', note: { content: 'new', updatedAt: time(10), origin: next } },
    },
  ],
  [
    'a source that has become what its note is gives it the new origin alone',
    {
      record: createRecord(editedNote),
      known: { origin: origin('a', 'mine'), lastFingerprint: last, source: edited },
      action: { do: 'merge', note: { ...createNote(editedNote), origin: origin('a', 'mine') } },
    },
  ],
  [
    'an older state of a dated source becomes a version, and the origin stays that of the newest state',
    {
      record: createRecord({ content: 'older', updatedAt: time(2) }, { isDated: true }),
      known: {
        origin: origin('a', 'older', 2),
        lastFingerprint: origin('a', 'old', 5).taken,
        source: createSource({ updatedAt: time(5) }),
      },
      action: {
        do: 'add version',
        note: createNote({ updatedAt: time(5) }),
        version: { id: 7, content: 'older', updatedAt: time(2) },
      },
    },
  ],
  [
    'a shorter state of the same time is the older one',
    {
      record: dated,
      known: {
        origin: origin('a', 'new', 5),
        lastFingerprint: origin('a', 'longer', 5).taken,
        source: createSource({ content: 'a longer text', updatedAt: time(5) }),
      },
      action: { do: 'add version', version: { content: 'new', updatedAt: time(5).replace('05.000Z', '04.999Z') } },
    },
  ],
  [
    'an older state that the history has is there already',
    {
      record: dated,
      known: {
        origin: origin('a', 'new', 5),
        lastFingerprint: origin('a', 'old', 6).taken,
        source: createSource({}, { isRecordStored: true }),
      },
      action: { do: 'count', as: 'unchanged' },
    },
  ],
  [
    'a note that has the former title of its source, and its text, gets the present one',
    {
      record: renamed,
      known: { origin: origin('Filename', 'old'), lastFingerprint: last, source: createSource() },
      action: {
        do: 'retitle',
        note: { id: 7, title: 'Filename', content: 'old', origin: origin('Filename', 'old') },
      },
    },
  ],
  [
    'a title that was changed here stays, also if the source has another one by the present rule',
    {
      record: renamed,
      known: {
        origin: origin('Filename', 'old'),
        lastFingerprint: last,
        source: createSource({ title: 'Mine' }, { noteFingerprint: origin('Mine', 'old').taken }),
      },
      action: { do: 'merge', note: { title: 'Mine', updatedAt: time(1), origin: origin('Filename', 'old') } },
    },
  ],
  [
    'a source whose text has changed replaces text and former title',
    {
      record: createRecord({ title: 'Filename', content: 'new', updatedAt: time(5) }, { formerTitle: 'a' }),
      known: { origin: origin('Filename', 'new'), lastFingerprint: last, source: createSource() },
      action: { do: 'merge', note: { title: 'Filename', content: 'new', updatedAt: time(5) } },
    },
  ],
  [
    'a note without an origin that has the former title and the text gets the present title',
    {
      record: renamed,
      known: { formerDuplicate: { note: createNote({ id: 3 }) } },
      action: { do: 'retitle', note: { id: 3, title: 'Filename', updatedAt: time(1).replace('.000Z', '.001Z') } },
    },
  ],
])('%s', (_, { record, known, action }) => {
  expect(planRecord(record, known)).toMatchObject(action);
});

const stored = { createdAt: time(0), updatedAt: time(1) };
const another = { createdAt: time(3), updatedAt: time(3) };

test.each<[string, Case]>([
  [
    'gets a new id if another note has its id',
    { record: withId({}), known: { stored: another }, action: { do: 'renumber', note: copyWithoutId(createNote()) } },
  ],
  [
    'is there already if another note has its id, and a third one its text',
    { record: withId({}), known: { stored: another, duplicate: {} }, action: { do: 'count', as: 'unchanged' } },
  ],
  [
    'is left out if a later state of it got a new id, as that has no history for it',
    { record: withId({}), known: { stored: another, hasRenumberedLaterState: true }, action: { do: 'leave out' } },
  ],
  [
    'is in the history if the stored note is newer',
    {
      record: withId({}),
      known: { stored: { ...stored, updatedAt: time(2) } },
      action: { do: 'count', as: 'versions' },
    },
  ],
  [
    'is merged with the time of its file if it differs at the same time: somebody edited the file',
    {
      record: withId({ content: 'by hand' }, { fileTime: time(8) }),
      known: { stored },
      action: { do: 'merge', note: createNote({ content: 'by hand', updatedAt: time(8) }) },
    },
  ],
  [
    'is merged a millisecond later if the time of its file is older',
    {
      record: withId({ content: 'by hand' }, { fileTime: time(0) }),
      known: { stored },
      action: { do: 'merge', note: { updatedAt: time(1).replace('.000Z', '.001Z') } },
    },
  ],
  [
    'is not imported if it differs at the same time',
    { record: withId({ content: 'other' }), known: { stored }, action: { do: 'count', as: 'left' } },
  ],
])('a note that the store has left %s', (_, { record, known, action }) => {
  expect(planRecord(record, known)).toMatchObject(action);
});
