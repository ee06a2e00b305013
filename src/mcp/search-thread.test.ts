import { expect, test } from 'bun:test';
import type { Note, NoteFilter } from '../domain/note.ts';
import type { JsonList } from '../domain/store.ts';
import { findNotes } from './search.ts';
import { SearchThread } from './search-thread.ts';

const note = (id: number, title: string): Note => ({
  ...{ id, title, content: 'žluťoučký needle 🐎', category: 'notes', group: 'first', color: 'info', archived: false },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: `2026-01-01T00:00:00.${String(id).padStart(3, '0')}Z`,
});

/** What a store answers at one revision. */
class Lists {
  notes = [note(1, 'needle'), note(2, 'x')];
  revision = 'first';
  isLong = false;
  readonly said: JsonList['kind'][] = [];

  listJson(_: NoteFilter, known: readonly string[] = []): JsonList {
    const list = this.#list(known);
    this.said.push(list.kind);
    return list;
  }

  #list(known: readonly string[]): JsonList {
    const { revision } = this;
    if (known.includes(revision)) return { kind: 'unchanged', revision };
    const bytes = new TextEncoder().encode(JSON.stringify(this.notes));
    if (!this.isLong) return { kind: 'whole', revision, body: new Blob([bytes]) };
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => bytes.slice(7 * n, 7 * n + 7));
    return { kind: 'chunks', revision, chunks: { next: async () => pieces.shift(), close: async () => {} } };
  }
}

async function* all(notes: readonly Note[]) {
  yield notes;
}

test('a thread finds what a search finds, in the list as it is now', async () => {
  const lists = new Lists();
  const thread = new SearchThread(lists);
  const wanted = { query: 'needle', limit: 10 };

  const first = await thread.find({}, wanted);
  const again = await thread.find({}, { query: 'x', limit: 1 });
  lists.notes = [...lists.notes, note(3, 'the needle')];
  lists.revision = 'second';
  const later = await thread.find({}, wanted);

  expect(first).toEqual(await findNotes(all(lists.notes.slice(0, 2)), wanted));
  expect(again.notes.map(({ id }) => id)).toEqual([2]);
  expect(later).toEqual(await findNotes(all(lists.notes), wanted));
  expect(lists.said).toEqual(['whole', 'unchanged', 'whole']);
});

test('a long list is searched as it comes, and many searches wait for each other', async () => {
  const lists = new Lists();
  const thread = new SearchThread(lists);
  const wanted = { query: 'needle', limit: 10 };
  const expected = await findNotes(all(lists.notes), wanted);
  lists.isLong = true;

  const found = await Promise.all(Array.from({ length: 20 }, () => thread.find({}, wanted)));

  expect(found).toEqual(Array.from({ length: 20 }, () => expected));
});

test('a search that fails does not stop the next one', async () => {
  const lists = new Lists();
  const thread = new SearchThread(lists);
  const wanted = { query: 'needle', limit: 10 };
  const chunks = { next: () => Promise.reject(new Error('The store failed')), close: async () => {} };
  const broken = new SearchThread({ listJson: () => ({ kind: 'chunks', revision: 'r', chunks }) });

  await thread.find({}, wanted);

  expect(broken.find({}, wanted)).rejects.toThrow('The store failed');
  expect(broken.find({}, wanted)).rejects.toThrow('The store failed');
  expect((await thread.find({}, wanted)).total).toBe(2);
});

test('more searches than may wait are refused', async () => {
  const thread = new SearchThread(new Lists());

  const searches = Array.from({ length: 300 }, () => thread.find({}, { query: 'needle', limit: 1 }));
  const outcomes = await Promise.allSettled(searches);

  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(44);
});
