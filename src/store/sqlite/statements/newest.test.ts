import { describe, expect, test } from 'bun:test';
import { draft } from '../../../../test/support/service.ts';
import { categories, groups, type NoteFilter } from '../../../domain/note.ts';
import { newestFirst } from '../../../domain/sort.ts';
import { openSqlite } from '../open.ts';

describe('newestHeads', () => {
  const times = ['2026-01-03', '2026-01-01', '2026-01-02'].map((day) => `${day}T00:00:00.000Z`);
  const notes = Array.from({ length: 60 }, (_, index) => ({
    ...draft({ title: `${index}`, category: categories[index % 2] ?? 'css', group: groups[index % 5] ?? 'first' }),
    archived: index % 4 === 0,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: times[index % 3] ?? '',
  }));

  test.each<NoteFilter>([
    {},
    { archived: false },
    { archived: true, group: 'first' },
    { category: 'css', group: 'third', archived: true },
    { category: 'notes' },
  ])('has the first notes of the sorted list, without their contents: %p', async (filter) => {
    await using store = await openSqlite({ path: ':memory:', onThread: false });
    await store.merge(notes);
    const sorted = (await store.list(filter)).sort(newestFirst);
    const heads = sorted.map(({ content: _, createdAt: __, ...head }) => head);

    const all = await store.newestHeads?.(filter);
    const first = await store.newestHeads?.({ ...filter, limit: 3 });

    expect(all).toEqual({ notes: heads, total: heads.length });
    expect(first).toEqual({ notes: heads.slice(0, 3), total: heads.length });
  });
});
