import { expect, test } from 'bun:test';
import { portableNote } from '../../test/support/service.ts';
import type { PortableNote } from '../domain/note.ts';
import type { MergeOutcome } from '../domain/store.ts';
import { asStored, decideMerge, settleOrigins } from './merge.ts';

const time = (ms: number) => new Date(Date.UTC(2020, 0, 1) + ms).toISOString();
const note = portableNote(1, { createdAt: time(0), updatedAt: time(5) });

test.each<[string, Partial<PortableNote> | undefined, MergeOutcome]>([
  ['none', undefined, 'added'],
  ['the same', {}, 'same'],
  ['another text of the same time', { title: 'Other' }, 'different'],
  ['the same text, archived', { archived: true }, 'different'],
  ['an older one', { title: 'Old', updatedAt: time(4) }, 'replaced'],
  ['a newer one', { title: 'New', updatedAt: time(6) }, 'newer'],
  ['another note, created at another time', { createdAt: time(1) }, 'taken'],
  ['another note, newer too', { createdAt: time(1), updatedAt: time(9) }, 'taken'],
])('with %s stored under its id, a note is decided', (_, changes, outcome) => {
  const stored = changes && asStored(note, { ...note, ...changes });

  expect(decideMerge(note, stored)).toBe(outcome);
});

const origin = (key: string) => ({ origin: { key, taken: '' } });
const isNew = (key: string): PortableNote => {
  const { id: _, ...rest } = note;
  return { ...rest, ...origin(key) };
};
const own = (id: number, key: string): PortableNote => ({ ...note, id, ...origin(key) });

test.each<[string, PortableNote[], MergeOutcome[], Record<string, number>, MergeOutcome[], number[]]>([
  ['the first of two keeps it', [own(1, 'a'), own(2, 'a')], ['added', 'added'], {}, ['added', 'added'], [0]],
  ['notes with ids come first', [isNew('a'), own(2, 'a')], ['added', 'added'], {}, ['taken', 'added'], [1]],
  ['that of a stored note stays there', [own(2, 'a')], ['added'], { a: 1 }, ['added'], []],
  ['its own note may have it again', [own(1, 'a')], ['same'], { a: 1 }, ['same'], [0]],
  ['a new note whose origin is known is taken', [isNew('a')], ['added'], { a: 1 }, ['taken'], []],
  ['an outdated note gets none', [own(1, 'a')], ['newer'], {}, ['newer'], []],
  ['without an origin, none is stored', [note], ['added'], {}, ['added'], []],
])('origins: %s', (_, notes, outcomes, stored, settled, indexes) => {
  expect(settleOrigins(notes, outcomes, new Map(Object.entries(stored)))).toEqual({ outcomes: settled, indexes });
});
