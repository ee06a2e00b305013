import { expect, test } from 'bun:test';
import { portableNote } from '../../../test/support/service.ts';
import type { NoteFilter } from '../../core/note.ts';
import { findInStore } from './answer.ts';

const note = (id: number) => portableNote(id, { title: 'needle' });
const wanted = { query: 'needle', filter: { archived: false }, limit: 1 };

test('a store that cannot search is read', async () => {
  const store = {
    async *scan(filter?: NoteFilter) {
      yield filter?.archived === false ? [note(1)] : [];
      yield [note(2)];
    },
  };

  expect(await findInStore(store, wanted)).toMatchObject({ notes: [{ id: 2 }], total: 2, truncated: true });
});

test('a store that searches is not read', async () => {
  const asked: unknown[] = [];
  const store: Parameters<typeof findInStore>[0] = {
    scan: () => {
      throw new Error('It is read');
    },
    search: async (query, options) => {
      asked.push(query, options);
      return { notes: [note(1)], total: 1 };
    },
  };

  expect(await findInStore(store, wanted)).toMatchObject({ notes: [{ id: 1 }], total: 1, truncated: false });
  expect(asked).toEqual(['needle', { archived: false, limit: 1 }]);
});
