import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { categories, groups, type Note, type NoteFilter } from '../domain/note.ts';
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

/** Notes in memory that a cache reads, with the ranges that it asked for. */
function notesOf(count: number, maxBytes = 1_000_000, segmentNotes = 2) {
  const notes = Array.from({ length: count }, (_, index) => noteOf(index + 1));
  const reads: [from: number, to: number][] = [];
  const cache = new ListCache(
    (filter, from, to) => {
      reads.push([from, to]);
      return notes
        .filter((note) => note.id >= from && note.id < to && matches(note, filter))
        .map((note) => ({ id: note.id, json: JSON.stringify(note) }));
    },
    maxBytes,
    segmentNotes,
  );
  const write = (note: Note) => {
    const before = notes[note.id - 1];
    notes[note.id - 1] = note;
    if (before) cache.touch(before);
    cache.touch(note);
  };
  return { notes, reads, cache, write };
}

const textOf = async (cache: ListCache, filter: NoteFilter = {}) => (await cache.body(filter)?.text()) ?? 'too long';

describe('ListCache', () => {
  test('agrees with a plain scan, whatever is written and asked for in between', async () => {
    const cell = {
      category: fc.constantFrom(...categories),
      group: fc.constantFrom(...groups),
      archived: fc.boolean(),
    };
    const step = fc.record({
      id: fc.nat({ max: 30 }),
      change: fc.record(cell),
      filter: fc.record(cell, { requiredKeys: [] }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), async (steps, size) => {
        const { notes, cache, write } = notesOf(0, 4_000, size);
        for (const { id, change, filter } of steps) {
          write(noteOf(Math.min(id, notes.length) + 1, change));
          const expected = JSON.stringify(notes.filter((note) => matches(note, filter)));
          const text = await textOf(cache, filter);
          if (text !== 'too long') expect(text).toBe(expected);
          else expect(expected.length).toBeGreaterThan(450);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('reads one segment again after a write, and nothing when nothing was written', async () => {
    const { reads, cache, write } = notesOf(10);
    await textOf(cache);
    reads.length = 0;

    await textOf(cache);
    write(noteOf(5, { title: 'new' }));
    const text = await textOf(cache);

    expect(reads).toEqual([[5, 7]]);
    expect(JSON.parse(text)[4].title).toBe('new');
  });

  test('gives a list another version for a write to what it shows, or has shown, and for no other', async () => {
    const { cache, write } = notesOf(3);
    const filters: NoteFilter[] = [{}, { archived: false }, { archived: true }, { category: 'notes' }];
    const versions = () => filters.map((filter) => cache.version(filter));
    const before = versions();

    write(noteOf(2, { archived: true }));

    const after = versions();
    expect(after.map((version, index) => version !== before[index])).toEqual([true, true, true, false]);
    expect(versions()).toEqual(after);
    expect(new Set(after).size).toBe(filters.length);
  });

  test('keeps no list that is too long, and says so without reading it again', async () => {
    const { reads, cache } = notesOf(100, 10_000);

    expect([await textOf(cache), cache.version({})]).toEqual(['too long', undefined]);
    reads.length = 0;
    expect(await textOf(cache)).toBe('too long');
    expect(await textOf(cache, { group: 'fifth' })).toBe('[]');
    expect(reads).toEqual([[0, Number.MAX_SAFE_INTEGER]]);
  });

  test('forgets the list that was not asked for longest when it holds too much', async () => {
    const { reads, cache } = notesOf(7, 8_000);
    const filters: NoteFilter[] = [
      {},
      { category: 'css' },
      { group: 'first' },
      { archived: false },
      {},
      { category: 'css', group: 'first' },
    ];
    for (const filter of filters) await textOf(cache, filter);
    reads.length = 0;

    await textOf(cache, {});
    expect(reads).toHaveLength(0);
    await textOf(cache, { category: 'css' });
    expect(reads).toHaveLength(1);
  });

  test('reads everything again after it was cleared', async () => {
    const { notes, cache } = notesOf(3);
    await textOf(cache);
    notes[1] = noteOf(2, { title: 'written elsewhere' });

    const version = cache.version({});
    cache.clear();

    expect(await textOf(cache)).toContain('written elsewhere');
    expect(cache.version({})).not.toBe(version);
  });
});
