import { expect, test } from 'bun:test';
import type { Note } from '../domain/note.ts';
import { findInStore } from './search.ts';

const note = (id: number): Note => ({
  ...{ id, title: 'needle', content: 'x', category: 'notes', group: 'first', color: 'info', archived: false },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});
type Store = Parameters<ReturnType<typeof findInStore>>[0];
const wanted = { query: 'needle', filter: { archived: false }, limit: 1 };

test('a store that cannot search is read by one search at a time, which yields to other requests', async () => {
  const events: string[] = [];
  const store: Store = {
    async *scan(filter) {
      events.push(`begins ${filter?.archived}`);
      yield [note(1)];
      events.push('goes on');
      yield [note(2)];
      events.push('ends');
    },
  };
  const find = findInStore();
  setImmediate(() => events.push('other'));

  const found = await Promise.all([find(store, wanted), find(store, wanted)]);

  expect(found).toEqual([found[0], found[0]] as never);
  expect(found[0]).toMatchObject({ notes: [{ id: 2 }], total: 2, truncated: true });
  const once = ['begins false', 'goes on', 'ends'];
  expect(events).toEqual(['begins false', 'other', 'goes on', 'ends', ...once]);
});

test('a store that searches is not read', async () => {
  const asked: unknown[] = [];
  const store: Store = {
    scan: () => {
      throw new Error('It is read');
    },
    search: async (query, options) => {
      asked.push(query, options);
      return { notes: [note(1)], total: 1 };
    },
  };

  expect(await findInStore()(store, wanted)).toMatchObject({ notes: [{ id: 1 }], total: 1, truncated: false });
  expect(asked).toEqual(['needle', { archived: false, limit: 1 }]);
});
