/** Sessions of browsers that ended before their time are known to every store of the database, and in its backups. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { NoteEngine } from '../../src/core/store.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { createBackup } from '../../src/store/sqlite/backup/create-backup.ts';
import { createEmptyDatabase, createPostgresOptions } from '../support/postgres/databases.ts';
import { createTemporaryFolder } from '../support/service.ts';

const dayMs = 24 * 60 * 60_000;

/** A database that can be opened several times, one after the other. */
interface Subject extends AsyncDisposable {
  open(): Promise<NoteEngine>;
}

async function onSqlite(): Promise<Subject> {
  const folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  return { open: () => openSqlite({ path }), [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() };
}

async function onPostgres(): Promise<Subject> {
  const database = await createEmptyDatabase();
  return {
    open: () => openPostgres(createPostgresOptions(database.url)),
    [Symbol.asyncDispose]: database[Symbol.asyncDispose],
  };
}

describe.each<[name: string, create: () => Promise<Subject>]>([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('on %s', (_, create) => {
  test('a session that was ended stays so, also for the next store, and no other session does', async () => {
    await using subject = await create();
    {
      await using store = await subject.open();
      expect(await store.isSignInSessionEnded('a1')).toBe(false);
      await store.endSession('a1', Date.now() + dayMs);
      await store.endSession('a1', Date.now() + dayMs);
      expect(await store.isSignInSessionEnded('a1')).toBe(true);
    }

    await using next = await subject.open();

    expect([await next.isSignInSessionEnded('a1'), await next.isSignInSessionEnded('a2')]).toEqual([true, false]);
    await next.assertReadableAndWritable();
  });

  test('entries are deleted a day after their sessions would have ended by themselves', async () => {
    await using subject = await create();
    await using store = await subject.open();
    await store.endSession('b1', Date.now() - 2 * dayMs);
    await store.endSession('b2', Date.now() - dayMs / 2);

    await store.endSession('b3', Date.now() + dayMs);

    const ended = await Promise.all(['b1', 'b2', 'b3'].map((id) => store.isSignInSessionEnded(id)));
    expect(ended).toEqual([false, true, true]);
  });
});

test('on SQLite, a backup has the ended sessions', async () => {
  using folder = createTemporaryFolder();
  const [path, backup] = ['notes.db', 'backup.db'].map((name) => join(folder.path, name)) as [string, string];
  {
    await using store = await openSqlite({ path });
    await store.endSession('c1', Date.now() + dayMs);
  }

  await createBackup(path, backup);

  await using copy = await openSqlite({ path: backup });
  expect(await copy.isSignInSessionEnded('c1')).toBe(true);
});
