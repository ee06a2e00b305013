/** Repeated `notes backup` under full load, and `notes restore` killed at random moments. */
import { expect, test } from 'bun:test';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from '../../src/store/sqlite/backup/backup.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { draft, jsonBody, noteIn, program, startService } from '../support/service.ts';
import { temporaryDatabase } from './database.ts';
import { report } from './report.ts';

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

/** The number of notes in a store. */
async function countIn(path: string): Promise<number> {
  await using store = await openSqlite({ path });
  return (await store.list()).length;
}

test('a restore that is killed leaves the old notes or the new ones', async () => {
  using database = temporaryDatabase();
  const folder = join(database.path, '..');
  const backup = join(folder, 'backup.db');
  const add = async (count: number) => {
    await using store = await openSqlite({ path: database.path });
    await Promise.all(Array.from({ length: count }, () => store.create(draft({ content: 'text '.repeat(200) }))));
  };
  await add(1_000);
  await backUp(database.path, backup);
  const traces = (sign: string) => readdirSync(folder).filter((name) => name.includes(sign));
  const begun = () => traces('.notes-').length > 0;
  const saved = () => traces('.before-restore-').length > 0;
  const inode = () => statSync(database.path).ino;
  const random = seeded(seed);
  const seen = { old: 0, restored: 0 };

  for (let round = 0; round < kills; round++) {
    await add(100);
    for (const name of [...traces('.notes-'), ...traces('.before-restore-')]) {
      rmSync(join(folder, name), { recursive: true });
    }
    const before = { notes: await countIn(database.path), inode: inode() };
    const child = Bun.spawn([...program, 'restore', backup, '--yes', '--db', database.path], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const isPlaced = () => inode() !== before.inode;
    const isNow = [begun, saved, isPlaced][round % 3] ?? isPlaced;
    while (!isNow() && child.exitCode === null) await Bun.sleep(0);
    if (isNow !== isPlaced) await Bun.sleep(random.below(15));
    child.kill('SIGKILL');
    await child.exited;
    if (child.exitCode === 0) continue; // it ended before the kill
    const left = isPlaced() ? 'restored' : 'old';
    expect(child.signalCode).toBe('SIGKILL');
    expect(await countIn(database.path)).toBe(left === 'old' ? before.notes : 1_000);
    expect(saved() || left === 'old').toBe(true);
    seen[left]++;
  }

  report(27, `${kills} restores killed: ${seen.old} left the old notes, ${seen.restored} the new ones`);
  expect(Math.min(seen.old, seen.restored)).toBeGreaterThan(0);
}, 300_000);
