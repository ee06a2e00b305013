import { expect, test } from 'bun:test';
import { portableNote } from '../../../test/support/service.ts';
import { maxOrigins } from '../../core/store.ts';
import { openDatabase } from './database.ts';
import { ownersAmong, putOrigins, readOrigins } from './sqlite-origins.ts';

const origin = (key: string, taken = 'now') => ({ key, taken });

/** A database with this many notes. */
function withNotes(count: number) {
  const opened = openDatabase({ path: ':memory:', user: 'command' });
  opened.db.run(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${count})
     INSERT INTO notes SELECT id, 'a', 'b', 'css', 'first', 'info', 0, 0, 0, NULL FROM ids`,
  );
  return opened;
}

test('origins are those of present notes, the last one put of each', () => {
  const { db, resources } = withNotes(2);
  using _ = resources;
  putOrigins(
    db,
    new Map([
      [1, origin('file:a')],
      [2, origin('file:b')],
      [3, origin('file:gone')],
    ]),
  );
  putOrigins(db, new Map([[2, origin('file:c', 'later')]]));

  const owners = ownersAmong(db, [
    ...['file:a', 'file:b', 'file:c', 'file:gone'].map((key) => ({ ...portableNote(9), origin: origin(key) })),
    portableNote(1),
  ]);

  expect(readOrigins(db, 0)).toEqual([
    { id: 1, key: 'file:a', taken: 'now' },
    { id: 2, key: 'file:c', taken: 'later' },
  ]);
  expect([...owners]).toEqual([
    ['file:a', 1],
    ['file:c', 2],
  ]);
});

test('many are read in parts, each after the last id of the one before', () => {
  const count = maxOrigins + 1;
  const { db, resources } = withNotes(count);
  using _ = resources;
  putOrigins(db, new Map(Array.from({ length: count }, (_, index) => [index + 1, origin(`${index}`)])));

  const first = readOrigins(db, 0);
  const rest = readOrigins(db, first.at(-1)?.id ?? 0);

  expect(first).toHaveLength(maxOrigins);
  expect(rest).toEqual([{ id: count, key: `${maxOrigins}`, taken: 'now' }]);
});
