import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../../test/support/service.ts';
import { openSqlite } from '../open.ts';
import { migrations } from '../schema.ts';
import { inspect } from './inspection.ts';

const nothing = { notes: 0, newest: undefined, lastId: 0 };

test('finds the notes of a store in use and at rest, and creates nothing beside it', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  const schema = { integrity: 'ok', isOurs: true, isForeign: false, schema: migrations.length };
  {
    let at = 0;
    await using store = await openSqlite({ path, now: () => ++at });
    expect(inspect(path, true)).toEqual({ ...schema, ...nothing });
    for (const title of ['a', 'b', 'c']) await store.create(draft({ title }));
    await store.update(1, { title: 'd' });
    expect(inspect(path, true)).toEqual({ ...schema, notes: 3, newest: '1970-01-01T00:00:00.004Z', lastId: 3 });
  }
  using other = new Database(path);
  other.run('DELETE FROM notes WHERE id <> 2');
  other.close();
  const before = readdirSync(folder.path);

  expect(inspect(path, false)).toEqual({ ...schema, notes: 1, newest: '1970-01-01T00:00:00.002Z', lastId: 3 });
  expect(readdirSync(folder.path)).toEqual(before);
});

test('finds no owner of an empty file, and counts no notes of another program', () => {
  using folder = temporaryFolder();
  const [empty, foreign] = [join(folder.path, 'empty.db'), join(folder.path, 'foreign.db')];
  writeFileSync(empty, '');
  using db = new Database(foreign);
  db.run('CREATE TABLE notes (id)');
  db.run('INSERT INTO notes VALUES (1)');

  const facts = { integrity: 'ok', isOurs: false, schema: 0, ...nothing };
  expect(inspect(empty, true)).toEqual({ ...facts, isForeign: false });
  expect(inspect(foreign, true)).toEqual({ ...facts, isForeign: true });
});
