import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { openSqlite } from '../../open-sqlite.ts';
import { createBackup } from './create-backup.ts';

let folder: ReturnType<typeof createTemporaryFolder>;
let database: string;
beforeEach(() => {
  folder = createTemporaryFolder();
  database = join(folder.path, 'notes.db');
});
afterEach(() => folder[Symbol.dispose]());

async function fill(notes: number): Promise<void> {
  await using store = await openSqlite({ path: database });
  await Promise.all(Array.from({ length: notes }, (_, i) => store.create(createDraft({ title: `Note ${i + 1}` }))));
}

test('a backup is a database with the same notes, which only its owner may read', async () => {
  await fill(30);
  const target = join(folder.path, 'copy.db');

  const backup = await createBackup(database, target);

  await using copy = await openSqlite({ path: target });
  await using store = await openSqlite({ path: database });
  expect(await copy.list()).toEqual(await store.list());
  expect(backup).toMatchObject({ path: target, notes: 30 });
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a backup of a damaged database fails and leaves nothing', async () => {
  await fill(2_000);
  truncateSync(database, statSync(database).size - 8192);

  const failed = createBackup(database, join(folder.path, 'copy.db'));

  await expect(failed).rejects.toThrow('it is damaged');
  expect(readdirSync(folder.path).toSorted()).toEqual(['notes.db', 'notes.db.lock']);
});
