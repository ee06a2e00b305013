/** `notes backup` under a full load many times over, and `notes restore` that is killed at any moment. */
import { expect, test } from 'bun:test';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from '../../src/store/sqlite/backup.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { draft, jsonBody, noteIn, program, startService } from '../service.ts';
import { temporaryDatabase } from './database.ts';
import { report } from './report.ts';
import { scaled } from './scale.ts';

const backups = scaled(200, 20);
const kills = scaled(60, 10);

test('each backup of a service under load holds all that was answered before it', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);
  let last = 0;
  let goesOn = true;
  const writers = Array.from({ length: 32 }, async () => {
    while (goesOn) last = Math.max(last, (await noteIn(fetch(`${service.url}/api/notes`, jsonBody(draft())))).id);
  });

  let missing = 0;
  for (let round = 0; round < backups; round++) {
    const answered = last;
    const { path, notes } = await backUp(database.path, `${database.path}.copy`, { replaces: true });
    missing += Math.max(0, answered - notes);
    rmSync(path);
  }
  goesOn = false;
  await Promise.all(writers);

  report(27, `${backups} backups beside ${last} creates: ${missing} answered notes missing`);
  expect(missing).toBe(0);
}, 300_000);

/** The notes of a store, as one number. */
async function countIn(path: string): Promise<number> {
  await using store = openSqlite({ path });
  return (await store.list()).length;
}

test('a restore that is killed leaves the old notes or the new ones', async () => {
  using database = temporaryDatabase();
  const folder = join(database.path, '..');
  const backup = join(folder, 'backup.db');
  const add = async (count: number) => {
    await using store = openSqlite({ path: database.path });
    await Promise.all(Array.from({ length: count }, () => store.create(draft({ content: 'text '.repeat(200) }))));
  };
  await add(1_000);
  await backUp(database.path, backup);
  const restore = () =>
    Bun.spawn([...program, 'restore', backup, '--yes', '--db', database.path], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
  const started = performance.now();
  await restore().exited;
  const wholeMs = performance.now() - started;
  const seen = { old: 0, restored: 0 };

  for (let round = 0; round < kills; round++) {
    await add(100);
    const before = await countIn(database.path);
    const child = restore();
    await Bun.sleep(wholeMs * (0.3 + Math.random()));
    child.kill('SIGKILL');
    await child.exited;
    const after = await countIn(database.path);
    expect([before, 1_000]).toContain(after);
    seen[after === before ? 'old' : 'restored']++;
  }

  const saved = readdirSync(folder).filter((name) => name.includes('.before-restore-'));
  report(27, `${kills} restores killed: ${seen.old} left the old notes, ${seen.restored} the new ones`);
  expect(saved.length).toBeGreaterThanOrEqual(seen.restored);
}, 300_000);
