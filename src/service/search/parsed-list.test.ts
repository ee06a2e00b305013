import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { portableNote } from '../../../test/support/service.ts';
import type { Note } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import { ParsedList } from './parsed-list.ts';

const note = (id: number, content: string) =>
  portableNote(id, { content, updatedAt: `2026-01-01T00:00:00.${String((id * 7) % 1000).padStart(3, '0')}Z` });

const bytesOf = (notes: readonly Note[]) => new TextEncoder().encode(JSON.stringify(notes));

test('after each change of the list, the notes are those of its last state, newest first', () => {
  const texts = fc.constantFrom('a', 'b', ',{"id":65,"', '\\",{"id":129,"title":"', '🐎 ž', ']', '');
  const change = fc.record({ from: fc.integer({ min: 1, max: 400 }), count: fc.nat(130), content: fc.option(texts) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const notes = new Map<number, Note>();
      const parsed = new ParsedList();
      for (const { from, count, content } of changes) {
        for (let id = from; id <= from + count; id++) {
          if (content === null) notes.delete(id);
          else notes.set(id, note(id, content));
        }
        const list = [...notes.values()].sort((one, other) => one.id - other.id);
        parsed.updateFromJson(bytesOf(list));
        expect(parsed.notes).toEqual(list.toSorted(compareNewestFirst));
      }
    }),
  );
});
