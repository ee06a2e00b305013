import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonOf } from '../../../test/support/stores/json-list.ts';
import { categories, groups, type Note, type NoteFilter } from '../../domain/note.ts';
import { ListCache } from './list-cache.ts';

const matches = (note: Note, filter: NoteFilter) =>
  (filter.category === undefined || note.category === filter.category) &&
  (filter.group === undefined || note.group === filter.group) &&
  (filter.archived === undefined || note.archived === filter.archived);

const noteOf = (id: number, changes: Partial<Note> = {}): Note => ({
  id,
  title: `é ${id}`,
  content: 'c',
  category: 'css',
  group: 'first',
  color: 'info',
  archived: false,
  createdAt: '',
  updatedAt: '',
  ...changes,
});

/** Notes in memory with a cache, and the filters of the reads that filled it. */
function notesOf(count: number, maxBytes = 1_000_000) {
  const notes = Array.from({ length: count }, (_, index) => noteOf(index + 1));
  const reads: NoteFilter[] = [];
  const cache = new ListCache(maxBytes);
  const list = (filter: NoteFilter = {}) => {
    const found = cache.find(filter);
    if (found !== undefined || cache.isTooLong(filter)) return found;
    reads.push(filter);
    const matching = notes.filter((note) => matches(note, filter)); // skips ids without a note
    return cache.put(
      filter,
      matching.map((note) => ({ id: note.id, json: JSON.stringify(note) })),
    );
  };
  const textOf = (filter: NoteFilter = {}) => {
    const found = list(filter);
    return found ? jsonOf(found.body) : 'too long';
  };
  const write = (note: Note) => {
    notes[note.id - 1] = note;
    cache.set(note.id, note, JSON.stringify(note));
  };
  return { notes, reads, cache, list, textOf, write };
}

describe('ListCache', () => {
  test('agrees with a scan, for any writes and requests', async () => {
    const cell = {
      category: fc.constantFrom(...categories.slice(0, 2)),
      group: fc.constantFrom(...groups.slice(0, 2)),
      archived: fc.boolean(),
    };
    const step = fc.record({
      id: fc.nat({ max: 30 }),
      change: fc.record(cell),
      filter: fc.record(cell, { requiredKeys: [] }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(4_000, 40_000), async (steps, maxBytes) => {
        const { notes, textOf, write } = notesOf(0, maxBytes);
        const longest = new Map<string, number>();
        for (const { id, change, filter } of steps) {
          write(noteOf(1 + 23 * id, change)); // in several segments
          const expected = JSON.stringify(notes.filter((note) => matches(note, filter)));
          const key = JSON.stringify(filter, ['archived', 'category', 'group']);
          longest.set(key, Math.max(longest.get(key) ?? 0, expected.length));
          const text = textOf(filter);
          if (text !== 'too long') expect(text).toBe(expected);
          else expect(longest.get(key)).toBeGreaterThan(450); // may have become shorter since
        }
      }),
      { numRuns: 300 },
    );
  });

  test('merges writes into a list without reading it again', async () => {
    const { reads, textOf, write } = notesOf(10);
    textOf();
    reads.length = 0;

    write(noteOf(5, { title: 'new' }));
    write(noteOf(11, { title: 'one more' }));
    const titles = JSON.parse(textOf()).map((note: Note) => note.title);

    expect(reads).toEqual([]);
    expect([titles.length, titles[4], titles[10]]).toEqual([11, 'new', 'one more']);
  });

  test('changes the revision of a list only for writes to notes that it contains or contained', async () => {
    const { list, write } = notesOf(3);
    const filters: NoteFilter[] = [{}, { archived: false }, { archived: true }, { category: 'notes' }];
    const revisions = () => filters.map((filter) => list(filter)?.revision);
    const before = revisions();

    write(noteOf(2, { archived: true }));

    const after = revisions();
    expect(after.map((revision, index) => revision !== before[index])).toEqual([true, true, true, false]);
    expect(revisions()).toEqual(after);
    expect(new Set(after).size).toBe(filters.length);
  });

  test('does not cache a list that is too long, nor read it again to find out', async () => {
    const { reads, textOf } = notesOf(100, 10_000);

    expect([textOf(), textOf()]).toEqual(['too long', 'too long']);
    expect(textOf({ group: 'fifth' })).toBe('[]');
    expect(reads).toEqual([{}, { group: 'fifth' }]);
  });

  test('evicts a list that has grown too long', async () => {
    const { reads, textOf, write } = notesOf(0, 10_000);
    textOf();

    for (let id = 1; id <= 20; id++) {
      write(noteOf(id));
      textOf();
    }

    expect(textOf()).toBe('too long');
    expect(reads).toEqual([{}]);
  });

  test('evicts the least recently used list when it is full', async () => {
    const { reads, textOf } = notesOf(7, 8_000);
    const filters: NoteFilter[] = [
      {},
      { category: 'css' },
      { group: 'first' },
      { archived: false },
      {},
      { category: 'css', group: 'first' },
    ];
    for (const filter of filters) textOf(filter);
    reads.length = 0;

    textOf({});
    expect(reads).toHaveLength(0);
    textOf({ category: 'css' });
    expect(reads).toHaveLength(1);
  });

  test('evicts a list after many writes since its last request', async () => {
    const { reads, textOf, write } = notesOf(1, 12_000_000);
    textOf();

    for (let id = 1; id <= 10_001; id++) write(noteOf(id));

    expect(JSON.parse(textOf())).toHaveLength(10_001);
    expect(reads).toHaveLength(2);
  });

  test('reads everything again after it was cleared', async () => {
    const { notes, cache, list, textOf } = notesOf(3);
    const revision = list()?.revision;
    notes[1] = noteOf(2, { title: 'written elsewhere' });

    cache.clear();

    expect(textOf()).toContain('written elsewhere');
    expect(list()?.revision).not.toBe(revision);
  });
});
