/** A database with notes is emptied or removed while no service runs: the service must not show an empty list. */
import { expect, test } from 'bun:test';
import { rmSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { serveInVain } from '../support/refusal.ts';
import { draft, run } from '../support/service.ts';
import { type TemporaryDatabase, temporaryDatabase } from './database.ts';

/** The environment that makes this folder the default location of notes. */
const homeOf = ({ path }: TemporaryDatabase) => ({ HOME: dirname(path), XDG_DATA_HOME: dirname(path) });

/** Three notes, and a backup of them; returns its path. */
async function keepNotes({ path, settings }: TemporaryDatabase): Promise<string> {
  await using store = await openSqlite({ path });
  for (let n = 0; n < 3; n++) await store.create(draft());
  const { stdout } = await run(['backup'], settings);
  return stdout.trim();
}

const vanished: [string, (path: string) => void][] = [
  ['empty', (path) => truncateSync(path, 0)],
  ['gone', (path) => rmSync(path)],
];

test.each(vanished)(
  'a database that is %s is refused by service, commands and doctor, which name the newest backup',
  async (_, damage) => {
    using database = temporaryDatabase();
    const { path, settings } = database;
    const backup = await keepNotes(database);
    damage(path);

    const doctor = await run(['doctor'], settings);
    const refusals = [
      await serveInVain(settings),
      await run(['list'], settings),
      await run(['list', '--db', path]),
      await run(['add', '-m', 'x'], settings),
      await run(['backup'], settings),
    ];

    const sentence =
      `${path} is empty or gone, although notes were kept in it. ` +
      `Restore a backup with "notes restore": the newest beside it is ${backup}. ` +
      `To start without notes, remove ${path}.lock`;
    for (const refusal of refusals.slice(0, 4)) {
      expect(refusal).toMatchObject({ code: 1, stdout: '', stderr: `notes: ${sentence}\n` });
    }
    expect(refusals.at(-1)).toMatchObject({ code: 1, stdout: '' });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`${path} is empty or gone, although notes were kept in it`);
    expect(doctor.stdout).toContain(`the newest beside it is ${backup}`);
  },
  60_000,
);

test.each(vanished)('a restore heals a database that is %s', async (_, damage) => {
  using database = temporaryDatabase();
  const backup = await keepNotes(database);
  damage(database.path);

  const { code } = await run(['restore', backup, '--yes'], database.settings);

  expect(code).toBe(0);
  await using store = await openSqlite({ path: database.path });
  expect(await store.list()).toHaveLength(3);
});

test.each(vanished)(
  'where it is %s, removing the lock named by the message starts an empty store',
  async (_, damage) => {
    using database = temporaryDatabase();
    await keepNotes(database);
    damage(database.path);
    rmSync(`${database.path}.lock`);

    await using store = await openSqlite({ path: database.path });

    expect(await store.list()).toEqual([]);
  },
);

test('a list of the default place is not empty because its file is gone', async () => {
  using database = temporaryDatabase();
  const env = homeOf(database);
  expect((await run(['add', '-m', 'x'], env)).code).toBe(0);
  rmSync(join(env.XDG_DATA_HOME, 'notes', 'notes.db'));

  const { code, stdout } = await run(['list'], env);

  expect(code).toBe(1);
  expect(stdout).toBe('');
});
