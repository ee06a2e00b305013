import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import type { Note } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import { IncrementalListParser } from './incremental-list-parser.ts';

const note = (id: number, content: string) =>
  createPortableNote(id, { content, updatedAt: `2026-01-01T00:00:00.${String((id * 7) % 1000).padStart(3, '0')}Z` });

const encodeNotes = (notes: readonly Note[]) => new TextEncoder().encode(JSON.stringify(notes));

test('after each change of the list, the notes are those of its last state, newest first', () => {
  const texts = fc.constantFrom('a', 'b', ',{"id":65,"', '\\",{"id":129,"title":"', '🐎 ž', ']', '');
  const change = fc.record({ from: fc.integer({ min: 1, max: 400 }), count: fc.nat(130), content: fc.option(texts) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const notes = new Map<number, Note>();
      const parsed = new IncrementalListParser();
      for (const { from, count, content } of changes) {
        for (let id = from; id <= from + count; id++) {
          if (content === null) notes.delete(id);
          else notes.set(id, note(id, content));
        }
        const list = [...notes.values()].sort((one, other) => one.id - other.id);
        parsed.parseAndReplaceNotes(encodeNotes(list));
        expect(parsed.notes).toEqual(list.toSorted(compareNewestFirst));
      }
    }),
  );
});

test.each([
  ['as the store writes them', (notes: readonly Note[]) => JSON.stringify(notes)],
  ['with spaces', (notes: readonly Note[]) => JSON.stringify(notes, undefined, 1)],
  ['with the id last', (notes: readonly Note[]) => JSON.stringify(notes.map(({ id, ...rest }) => ({ ...rest, id })))],
])('of a list %s, unchanged notes stay the same objects', (_, encode) => {
  const notes = Array.from({ length: 300 }, (_, index) => note(index + 1, 'a'));
  const parsed = new IncrementalListParser();
  const update = (list: readonly Note[]) => parsed.parseAndReplaceNotes(new TextEncoder().encode(encode(list)));
  update(notes);
  const before = new Map(parsed.notes.map((known) => [known.id, known]));

  const changed = notes.with(149, note(150, 'b')).toSpliced(9, 1);
  update(changed);

  expect(parsed.notes).toEqual(changed.toSorted(compareNewestFirst));
  expect(parsed.notes.filter((now) => before.get(now.id) !== now)).toEqual([note(150, 'b')]);
});
