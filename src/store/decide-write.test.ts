import { expect, test } from 'bun:test';
import { createPortableNote } from '../../test/support/sample-notes.ts';
import { NoteError } from '../core/error.ts';
import { decideUpdate, type FieldChanges } from './decide-write.ts';

const time = (ms: number) => new Date(ms).toISOString();
const stored = createPortableNote(7, { createdAt: time(1_000), updatedAt: time(2_000) });

const decide = (change: FieldChanges, now = 9_000, ifMatch?: readonly string[]) =>
  decideUpdate(stored, { kind: 'change', id: 7, change, ...(ifMatch && { ifMatch }) }, now);

test.each([
  ['follows the clock', 9_000, 9_000],
  ['rises by 1 ms within a millisecond', 2_000, 2_001],
  ['rises by 1 ms when the clock steps back', 500, 2_001],
])('updatedAt %s, also by a change of nothing', (_, now, at) => {
  expect(decide({}, now)).toEqual({ note: { ...stored, updatedAt: time(at) }, version: undefined });
});

test.each<[FieldChanges, boolean]>([
  [{ title: 'Another' }, true],
  [{ content: 'Another' }, true],
  [{ category: 'css' }, true],
  [{ group: 'fifth' }, true],
  [{ color: 'error' }, true],
  [{ archived: true }, false],
  [{ title: stored.title, content: stored.content }, false],
  [{ archived: true, color: 'error' }, true],
])('a change of %j: the state before becomes a version: %p', (change, isVersion) => {
  expect(decide(change)).toEqual({
    note: { ...stored, ...change, updatedAt: time(9_000) },
    version: isVersion ? stored : undefined,
  });
});

test.each([
  [undefined, true],
  [[stored.updatedAt], true],
  [[time(1), stored.updatedAt], true],
  [[time(1)], false],
  [[], false],
])('under the condition %j a change is made: %p', (ifMatch, isMade) => {
  const decision = decide({ title: 'Another' }, 9_000, ifMatch);

  expect(decision instanceof NoteError ? decision.code : 'made').toBe(isMade ? 'made' : 'conflict');
});

test('a note that is not there is not found, whatever the condition', () => {
  const decision = decideUpdate(undefined, { kind: 'change', id: 7, change: {}, ifMatch: [] }, 0);

  expect(decision).toMatchObject({ code: 'not_found', message: 'Note with ID 7 not found', outcome: 'none' });
});
