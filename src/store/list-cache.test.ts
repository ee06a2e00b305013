import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createPortableNote } from '../../test/support/sample-notes.ts';
import { joinListBody } from '../../test/support/stores/json-list.ts';
import { categories, groups, type Note, type NoteFilter } from '../core/note.ts';
import { matchesNoteFilter } from '../core/search-line.ts';
import { CachedList } from './cached-list.ts';
import { ListCache } from './list-cache.ts';
import { createNoteChange } from './note-change.ts';

/** Notes in memory, and a cache of their lists. */
class Notes {
  readonly cache: ListCache;
  readonly #notes = new Map<number, Note>();
  #writes = 0;
  /** How often a list was not in the cache. */
  reads = 0;

  constructor(count: number, maxBytes = 100_000_000) {
    this.cache = new ListCache(maxBytes);
    for (let index = 1; index <= count; index++) this.write(index * 10);
  }

  write(id: number, changes: Partial<Note> = {}): void {
    const before = this.#notes.get(id);
    const note = { ...(before ?? createPortableNote(id, { title: 'é' })), ...changes, updatedAt: `${++this.#writes}` };
    this.#notes.set(id, note);
    this.cache.applyChangeToLists(createNoteChange(note, before));
  }

  entries(filter: NoteFilter) {
    const selected = [...this.#notes.values()]
      .filter((note) => matchesNoteFilter(note, filter))
      .sort((a, b) => a.id - b.id);
    return selected.map((note) => ({ id: note.id, json: JSON.stringify(note) }));
  }

  textOf(filter: NoteFilter): string {
    return `[${this.entries(filter).map(({ json }) => json)}]`;
  }

  /** Reads as the store does: from the cache, else anew. */
  list(filter: NoteFilter): CachedList | 'too long' {
    const found = this.cache.findAndTouchListOrTooLong(filter);
    if (found !== undefined) return found;
    this.reads++;
    const list = new CachedList(filter, this.entries(filter));
    const isShort = list.length <= this.cache.maxJsonLength;
    this.cache.set(filter, isShort ? list : 'too long');
    return isShort ? list : 'too long';
  }
}

const cell = {
  category: fc.constantFrom(...categories.slice(0, 2)),
  group: fc.constantFrom(...groups.slice(0, 2)),
  archived: fc.boolean(),
};
const filters = fc.uniqueArray(fc.record(cell, { requiredKeys: [] }), { minLength: 1, selector: JSON.stringify });
const writes = fc.array(fc.record({ id: fc.integer({ min: 1, max: 6_000 }), changes: fc.record(cell) }));

test('after any writes each list is that of all matching notes, read once; its revision changes as its bytes do', () => {
  fc.assert(
    fc.property(fc.constantFrom(0, 5, 500), filters, writes, (count, filters, writes) => {
      const notes = new Notes(count);
      const found = () => filters.map((filter) => notes.list(filter)).filter((list) => list !== 'too long');
      let before = found().map(({ revision, body }) => ({ revision, text: joinListBody(body) }));
      for (const { id, changes } of writes) {
        notes.write(id, changes);
        const after = found().map(({ revision, body }) => ({ revision, text: joinListBody(body) }));
        for (const [index, { revision, text }] of after.entries())
          expect(revision === before[index]?.revision).toBe(text === before[index]?.text);
        before = after;
      }
      expect(before.map(({ text }) => text)).toEqual(filters.map((filter) => notes.textOf(filter)));
      expect(found().map(({ length }) => length)).toEqual(
        filters.map((filter) => notes.entries(filter).reduce((length, { json }) => length + json.length, 0)),
      );
      expect(notes.reads).toBe(filters.length);
    }),
    { numRuns: 60 },
  );
});

test('a list of an eighth of the memory or more is not kept, nor read again to find out', () => {
  const notes = new Notes(100, 100_000);

  expect([notes.list({}), notes.list({}), notes.list({ group: 'fifth' })]).toMatchObject(['too long', 'too long', {}]);
  expect(notes.reads).toBe(2);
  for (let id = 1; id <= 100; id++) notes.write(id, { group: 'fifth' });
  expect(notes.list({ group: 'fifth' })).toBe('too long');
  expect(notes.reads).toBe(2);
});

const everyFilter: readonly NoteFilter[] = categories.flatMap((category) =>
  groups.flatMap((group) => [
    { category, group },
    { category, group, archived: false },
  ]),
);

test('all lists together keep to the memory, also when they grow', () => {
  const maxBytes = 400_000;
  const notes = new Notes(0, maxBytes);
  for (const filter of everyFilter) notes.list(filter);

  for (const [index, filter] of everyFilter.entries())
    for (let n = 0; n < 20; n++) notes.write(1 + index * 20 + n, { ...filter, archived: false });

  const lists = everyFilter.map((filter) => notes.cache.findAndTouchListOrTooLong(filter));
  const lengths = lists.map((list) => (list === undefined || list === 'too long' ? 0 : list.length));
  expect(lengths.reduce((sum, length) => sum + 3 * length, 0)).toBeLessThanOrEqual(maxBytes);
});

test('after changes that are not known, everything is read again', () => {
  const notes = new Notes(3);
  notes.list({});

  notes.cache.clear();

  notes.list({});
  expect(notes.reads).toBe(2);
});

test('lists of equal notes have equal revisions, however they came about, and others have others', () => {
  const entries = Array.from({ length: 1_000 }, (_, id) => ({ id, json: `{"id":${id}}` }));
  const whole = new CachedList({}, entries);
  const grown = new CachedList({}, entries.toReversed());
  const before = whole.revision;

  expect(grown.revision).toBe(before);
  whole.insertOrReplaceNote({ id: 7, json: '{"id":7,"title":"new"}' });
  expect(whole.revision).not.toBe(before);
  whole.deleteNote(7);
  grown.deleteNote(7);
  expect(whole.revision).toBe(grown.revision);
});
