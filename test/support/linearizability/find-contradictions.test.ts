/** The checker reports violations, and only those. */
import { expect, test } from 'bun:test';
import type { Note } from '../../../src/core/note.ts';
import { createDraft, createPortableNote } from '../sample-notes.ts';
import { findContradictions, findContradictionsPerNote } from './find-contradictions.ts';
import type { Operation, Read, Scope, Write } from './operation.ts';

type Times = readonly [from: number, to: number];

const createVersionTime = (version: number) => new Date(1_600_000_000_000 + version).toISOString();

/** A version of a note, with a title of its own; version 1 is the created note. */
const noteAt = (id: number, version: number, changes: Partial<Note> = {}): Note =>
  createPortableNote(id, {
    title: `Version ${version}`,
    createdAt: createVersionTime(0),
    updatedAt: createVersionTime(version),
    ...changes,
  });

const writing = ([from, to]: Times, changes: Write['changes'], notes?: readonly Note[]): Write => ({
  kind: 'write',
  by: 'writer',
  from,
  to,
  changes,
  notes,
});
const creating = (note: Note, times: Times) => writing(times, [{ fields: createDraft({ title: note.title }) }], [note]);
const titling = (note: Note, times: Times) => writing(times, [{ id: note.id, fields: { title: note.title } }], [note]);
const archiving = (note: Note, times: Times) =>
  writing(times, [{ id: note.id, fields: { archived: note.archived } }], [note]);
const reading = (notes: readonly Note[], [from, to]: Times, scope: Scope = {}): Read => ({
  kind: 'read',
  by: 'reader',
  from,
  to,
  scope,
  notes,
});

const [a0, a1, a2] = [noteAt(1, 0), noteAt(1, 1), noteAt(1, 2)];
const [b0, b1] = [noteAt(2, 0), noteAt(2, 1)];
const c0 = noteAt(3, 0);
const archived = { ...a0, updatedAt: createVersionTime(1), archived: true };
const active = { ...a0, updatedAt: createVersionTime(2) };
const created = [creating(a0, [0, 1]), creating(b0, [0, 1])];

test.each<[string, Operation[]]>([
  ['a read of what was replaced before it began', [titling(a1, [2, 3]), reading([a0], [4, 5], { id: 1 })]],
  ['a write that was there before it was sent', [reading([a1, b0], [2, 3]), titling(a1, [4, 5])]],
  [
    'a list that goes back while the write is under way',
    [titling(a1, [2, 9]), reading([a1, b0], [3, 4]), reading([a0, b0], [5, 6])],
  ],
  [
    'a list that shows the later of two writes and not the earlier one',
    [titling(a1, [2, 3]), titling(b1, [4, 9]), reading([a0, b1], [2, 9])],
  ],
  [
    'two lists that show two writes in opposite orders',
    [titling(a1, [2, 9]), titling(b1, [2, 9]), reading([a1, b0], [2, 9]), reading([a0, b1], [2, 9])],
  ],
  [
    'a list that shows half of what took effect at one moment',
    [
      writing(
        [2, 9],
        [1, 2].map((id) => ({ id, fields: { title: 'Version 1' } })),
        [a1, b1],
      ),
      reading([a1, b0], [2, 9]),
    ],
  ],
  ['a list without a note that was created before it began', [creating(c0, [2, 3]), reading([a0, b0], [4, 5])]],
  ['a note that nobody has written', [reading([a0, b0, c0], [2, 3])]],
  [
    'a list that keeps a note that has left it',
    [archiving(archived, [2, 3]), reading([a0, b0], [4, 5], { archived: false })],
  ],
  [
    'a list that lacks a note that was in it all the time',
    [
      archiving(archived, [2, 3]),
      archiving(active, [4, 5]),
      reading([b0], [6, 9], { archived: false }),
      titling({ ...a2, updatedAt: createVersionTime(3) }, [7, 8]),
    ],
  ],
  [
    'a list that lacks a note that had left, and had come back before what the list shows',
    [
      archiving(archived, [2, 3]),
      archiving(active, [4, 5]),
      titling(b1, [6, 7]),
      archiving({ ...archived, updatedAt: createVersionTime(3) }, [8, 9]),
      reading([a0, b1], [8, 9]),
      reading([b1], [2, 7], { archived: false }),
    ],
  ],
  ['a list that shows a note it does not ask for', [reading([a0, b0], [2, 3], { archived: true })]],
  [
    'an update that loses another one',
    [
      titling(a1, [2, 3]),
      writing(
        [4, 5],
        [{ id: 1, fields: { color: 'info' } }],
        [{ ...a0, color: 'info', updatedAt: createVersionTime(2) }],
      ),
    ],
  ],
  [
    'two updates under one time',
    [titling(a1, [2, 3]), writing([4, 5], [{ id: 1, fields: { color: 'info' } }], [{ ...a1, color: 'info' }])],
  ],
  ['two updates whose times are in the wrong order', [titling(a2, [2, 3]), titling(a1, [4, 5])]],
])('%s is no linearizable history', (_, operations) => {
  expect(findContradictions([...created, ...operations])).not.toEqual([]);
});

test.each<[string, Operation[]]>([
  [
    'a read beside a write may show it or not',
    [titling(a1, [2, 9]), reading([a0, b0], [3, 4]), reading([a1, b0], [5, 6])],
  ],
  ['a write may take effect after writes that were sent later', [titling(a2, [2, 9]), titling(a1, [3, 4])]],
  [
    'a note may leave a list and come back while it is read',
    [
      archiving(archived, [2, 8]),
      archiving(active, [3, 8]),
      titling(b1, [2, 8]),
      reading([b1], [2, 8], { archived: false }),
      reading([a0, b0], [2, 8], { archived: false }),
    ],
  ],
  [
    'a write without a response may take effect late',
    [
      writing([2, Number.POSITIVE_INFINITY], [{ id: 1, fields: { title: a1.title } }]),
      reading([a0, b0], [30, 40]),
      reading([a1, b0], [50, 60]),
    ],
  ],
  [
    'a write without a response may show only in the response to the next one',
    [
      writing([2, Number.POSITIVE_INFINITY], [{ id: 1, fields: { title: a1.title } }]),
      writing(
        [3, 4],
        [{ id: 1, fields: { color: 'info' } }],
        [{ ...a1, color: 'info', updatedAt: createVersionTime(2) }],
      ),
    ],
  ],
  [
    'a create without a response may show',
    [
      writing([2, Number.POSITIVE_INFINITY], [{ fields: createDraft({ title: c0.title }) }]),
      reading([a0, b0, c0], [3, 4]),
    ],
  ],
])('%s', (_, operations) => {
  expect(findContradictions([...created, ...operations])).toEqual([]);
});

test('for each note alone, a list may show the later of two writes without the earlier one, but nothing replaced', () => {
  const earlierMissing = [titling(a1, [2, 3]), titling(b1, [4, 9]), reading([a0, b1], [2, 9])];
  const replaced = [titling(a1, [2, 3]), titling(b1, [4, 9]), reading([a0, b1], [4, 9])];

  const found = [earlierMissing, replaced].map((operations) => findContradictionsPerNote([...created, ...operations]));

  expect(found.map(({ length }) => length > 0)).toEqual([false, true]);
});
