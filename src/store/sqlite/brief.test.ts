/** A file that is opened for one command only. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../test/service.ts';
import { openSqlite } from './open.ts';
import { RedoLog, redoPathOf } from './redo-log.ts';

test('takes over what the log of a killed service holds', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  const first = await oneNote(path);
  const second = { ...first, id: 2, title: 'acknowledged, and in the log alone' };
  new RedoLog(path).append([second]);

  await using store = openSqlite({ path, isBrief: true });

  expect(await store.list()).toEqual([first, second]);
  expect(await store.create(draft())).toMatchObject({ id: 3 });
});

async function oneNote(path: string) {
  await using store = openSqlite({ path });
  return await store.create(draft());
}

test('begins no log of its own, and commits each write by itself', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  {
    await using store = openSqlite({ path, isBrief: true });
    await Promise.all(Array.from({ length: 20 }, () => store.create(draft())));

    expect(existsSync(redoPathOf(path))).toBe(false);
  }

  await using again = openSqlite({ path });

  expect((await again.list()).map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});
