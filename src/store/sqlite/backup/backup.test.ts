import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../../test/support/service.ts';
import { openSqlite } from '../open.ts';
import { backUp } from './backup.ts';

let folder: ReturnType<typeof temporaryFolder>;
let database: string;
beforeEach(() => {
  folder = temporaryFolder();
  database = join(folder.path, 'notes.db');
});
afterEach(() => folder[Symbol.dispose]());

async function fill(notes: number): Promise<void> {
  await using store = await openSqlite({ path: database });
  await Promise.all(Array.from({ length: notes }, (_, i) => store.create(draft({ title: `Note ${i + 1}` }))));
}

test('a backup is a database with the same notes, which only its owner may read', async () => {
  await fill(30);
  const target = join(folder.path, 'copy.db');

  const backup = await backUp(database, target);

  await using copy = await openSqlite({ path: target });
  await using store = await openSqlite({ path: database });
  expect(await copy.list()).toEqual(await store.list());
  expect(backup).toMatchObject({ path: target, notes: 30 });
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('backups in a folder are named by the time, each by its own name', async () => {
  await fill(1);
  setSystemTime(new Date('2026-01-31T12:00:00.000Z'));

  const backups = [await backUp(database, folder.path), await backUp(database, `${folder.path}/`)];
  setSystemTime();

  const names = ['notes-2026-01-31T12-00-00Z.db', 'notes-2026-01-31T12-00-00Z-2.db'];
  expect(backups.map(({ path }) => path)).toEqual(names.map((name) => join(folder.path, name)));
});

test('an existing file is kept unless it may be replaced', async () => {
  await fill(1);
  const target = join(folder.path, 'copy.db');
  writeFileSync(target, 'mine');

  const refused = backUp(database, target);

  await expect(refused).rejects.toThrow('it already exists. Name another file, or add --force');
  expect(await Bun.file(target).text()).toBe('mine');
  expect((await backUp(database, target, { replaces: true })).notes).toBe(1);
});

test('the database itself and its logs are never replaced', async () => {
  await fill(1);
  const link = join(folder.path, 'link.db');
  linkSync(database, link);

  for (const target of [database, link, `${database}.lock`]) {
    const refused = backUp(database, target, { replaces: true });
    await expect(refused).rejects.toThrow('it belongs to the database itself');
  }
});

test('no backup takes the name of a file that the database may need, under any path', async () => {
  await fill(1);
  symlinkSync(folder.path, join(folder.path, 'linked'));

  for (const suffix of ['-wal', '-shm', '-journal', '.lock']) {
    for (const target of [database + suffix, join(folder.path, 'linked', `notes.db${suffix}`)]) {
      const refused = backUp(database, target);
      await expect(refused).rejects.toThrow('it belongs to the database itself');
    }
  }
  expect(readdirSync(folder.path).toSorted()).toEqual(['linked', 'notes.db', 'notes.db.lock']);
});

test('a backup of a damaged database fails and leaves nothing', async () => {
  await fill(2_000);
  truncateSync(database, statSync(database).size - 8192);

  const failed = backUp(database, join(folder.path, 'copy.db'));

  await expect(failed).rejects.toThrow('it is damaged');
  expect(readdirSync(folder.path).toSorted()).toEqual(['notes.db', 'notes.db.lock']);
});

test('refuses a database of another program', async () => {
  using foreign = new Database(database);
  foreign.run('CREATE TABLE accounts (id INTEGER)');

  const failed = backUp(database, join(folder.path, 'copy.db'));

  await expect(failed).rejects.toThrow('it holds no notes of this program');
  expect(readdirSync(folder.path)).toEqual(['notes.db']);
});

test('a cancelled backup leaves nothing', async () => {
  await fill(5_000);
  const target = join(folder.path, 'copies', 'copy.db');
  mkdirSync(join(folder.path, 'copies'));
  const interruption = new AbortController();

  const failed = backUp(database, target, { signal: interruption.signal });
  setTimeout(() => interruption.abort(new Error('enough')), 10);

  await expect(failed).rejects.toThrow('enough');
  expect(readdirSync(join(folder.path, 'copies'))).toEqual([]);
});

test('reports a missing folder and does not create it', async () => {
  await fill(1);
  const missing = join(folder.path, 'missing', 'copy.db');

  await expect(backUp(database, missing)).rejects.toThrow('Create it first');
  expect(existsSync(join(folder.path, 'missing'))).toBeFalse();
});
