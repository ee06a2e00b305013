import type { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { createUnstoredNote } from '../../../test/support/sample-notes.ts';
import { categories, groups, type NoteFilter } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import { openSqlite } from '../open-sqlite.ts';
import { lockRecoverAndMigrateDatabase } from './open-sqlite-database.ts';
import { countAllNotes, readHighestAssignedId } from './sqlite-reads.ts';
import { raiseIdSequence } from './sqlite-settings-writes.ts';

const create = (db: Database, id: number | null = null) =>
  db.run(
    `INSERT INTO notes (id, title, content, category, "group", color, created_at, updated_at)
       VALUES (?, 'a', 'b', 'css', 'first', 'info', 0, 0)`,
    [id],
  ).lastInsertRowid;

test('the last id is the highest ever assigned, also of a note that is gone, and new ones follow a higher one', () => {
  const { db, resources } = lockRecoverAndMigrateDatabase({ path: ':memory:', openedBy: 'command' });
  using _ = resources;
  expect(readHighestAssignedId(db)).toBe(0);

  create(db, 7);
  db.run('DELETE FROM notes');
  expect([readHighestAssignedId(db), create(db)]).toEqual([7, 8]);
  db.run('UPDATE notes SET id = 9');
  expect(readHighestAssignedId(db)).toBe(9);

  raiseIdSequence(db, 5);
  expect([readHighestAssignedId(db), create(db)]).toEqual([9, 10]);
  raiseIdSequence(db, 20);
  expect([readHighestAssignedId(db), create(db), countAllNotes(db)]).toEqual([20, 21, 3]);
});

const times = ['2026-01-03', '2026-01-01', '2026-01-02'].map((day) => `${day}T00:00:00.000Z`);
const notes = Array.from({ length: 60 }, (_, index) =>
  createUnstoredNote({
    title: `${index}`,
    category: categories[index % 2] ?? 'css',
    group: groups[index % 5] ?? 'first',
    archived: index % 4 === 0,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: times[index % 3] ?? '',
  }),
);

test.each<NoteFilter>([
  {},
  { archived: false },
  { archived: true, group: 'first' },
  { category: 'css', group: 'third', archived: true },
  { category: 'notes' },
])('the newest notes, and their heads, are the first of the sorted list: %p', async (filter) => {
  await using store = await openSqlite({ path: ':memory:' });
  await store.merge(notes);
  const sorted = (await store.list(filter)).sort(compareNewestFirst);
  const heads = sorted.map(({ content: _, createdAt: __, ...head }) => head);
  const total = sorted.length;

  expect(await store.readLastChangedHeadsAndTotal?.(filter)).toEqual({ notes: heads, total });
  expect(await store.readLastChangedHeadsAndTotal?.({ ...filter, limit: 3 })).toEqual({
    notes: heads.slice(0, 3),
    total,
  });
  expect(await store.readLastChangedNotesAndTotal(filter, 3)).toEqual({ notes: sorted.slice(0, 3), total });
});
