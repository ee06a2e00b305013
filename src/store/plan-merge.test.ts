import { expect, test } from 'bun:test';
import { copyWithoutId, createPortableNote } from '../../test/support/sample-notes.ts';
import type { PortableNote } from '../core/note.ts';
import { compareWithStoredNote, decideNoteMergeAndClaimOrigin, type MergeDecision } from './decide-merge.ts';

const time = (ms: number) => new Date(Date.UTC(2020, 0, 1) + ms).toISOString();
const note = createPortableNote(1, { createdAt: time(0), updatedAt: time(5) });

test.each<[string, Partial<PortableNote> | undefined, number[], MergeDecision]>([
  ['none', undefined, [], { outcome: 'added' }],
  ['the same', {}, [], { outcome: 'unchanged' }],
  ['another text of the same time', { title: 'Other' }, [], { outcome: 'left' }],
  ['the same text, archived', { archived: true }, [], { outcome: 'left' }],
  ['an older one', { title: 'Old', updatedAt: time(4) }, [], { outcome: 'updated', version: 'stored' }],
  ['an older one of the same text', { updatedAt: time(4) }, [], { outcome: 'updated' }],
  ['a newer one', { title: 'New', updatedAt: time(9) }, [8, 4], { outcome: 'left', version: 'incoming' }],
  ['a newer one of the same text', { updatedAt: time(9) }, [4], { outcome: 'unchanged' }],
  ['a newer one that has it as a version', { title: 'New', updatedAt: time(9) }, [8, 5], { outcome: 'unchanged' }],
  ['a newer one with enough versions', { title: 'New', updatedAt: time(9) }, [8, 7, 6], { outcome: 'unchanged' }],
  ['another note, created at another time', { createdAt: time(1), updatedAt: time(9) }, [], { outcome: 'left' }],
])('with %s stored under its id, a note is decided', (_, changes, versions, decision) => {
  const stored = changes && compareWithStoredNote(note, { ...note, ...changes }, () => versions.map(time));

  expect(decideNoteMergeAndClaimOrigin(note, stored, { owners: new Map(), maxVersions: 3 })).toEqual(decision);
});

const own = (id: number | undefined, key: string): PortableNote => ({
  ...copyWithoutId(note),
  ...(id !== undefined && { id }),
  origin: { key, taken: '' },
});

test.each<[string, PortableNote[], Record<string, number>, string[]]>([
  ['the first of two keeps it', [own(1, 'a'), own(2, 'a')], {}, ['added a', 'added -']],
  ['that of a stored note stays there', [own(2, 'a')], { a: 1 }, ['added -']],
  ['its own note may have it again', [own(1, 'a')], { a: 1 }, ['added a']],
  ['a new note whose origin is known is left', [own(undefined, 'a')], { a: 1 }, ['left -']],
  ['of two new notes, the first is added', [own(undefined, 'a'), own(undefined, 'a')], {}, ['added a', 'left -']],
])('origins: %s', (_, notes, stored, expected) => {
  const rules = { owners: new Map<string, number | 'new'>(Object.entries(stored)), maxVersions: 3 };

  const decisions = notes.map((one) => decideNoteMergeAndClaimOrigin(one, undefined, rules));

  expect(decisions.map(({ outcome, origin }) => `${outcome} ${origin?.key ?? '-'}`)).toEqual(expected);
});
