import { expect, test } from 'bun:test';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import { RecentRows } from './recent-rows.ts';
import { toRow } from './recordset.ts';

const createRow = (id: number, updatedAt: number, content = 'text') =>
  toRow(
    createPortableNote(id, {
      content,
      createdAt: new Date(0).toISOString(),
      updatedAt: new Date(updatedAt).toISOString(),
    }),
  );

test('the newest state of a note is found, unless a newer one is looked for', () => {
  const recent = new RecentRows();
  const [former, last] = [createRow(1, 1_000), createRow(1, 1_001)];

  recent.add(last);
  recent.add(former); // an instance may log its write later than another one logs the next write

  expect(recent.find(1, 1_000)).toBe(last);
  expect(recent.find(1, 1_001)).toBe(last);
  expect(recent.find(1, 1_002)).toBeUndefined();
  expect(recent.find(2, 1_000)).toBeUndefined();
});

test('rows that were added first are forgotten when others are long, and older states are not added again', () => {
  const recent = new RecentRows();
  const rows = [1, 2, 3, 4, 5].map((id) => createRow(id, 1_000 + id, 'x'.repeat(1024 * 1024)));
  for (const row of rows) recent.add(row);

  recent.add(createRow(1, 1_000));
  recent.add(createRow(2, 1_003));

  const found = [1, 2, 3, 4, 5].filter((id) => recent.find(id, 0));
  expect(found).toEqual([2, 3, 4, 5]);
});
