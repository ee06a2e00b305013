/**
 * Programs without SQLite overwrite or remove the files of a running service. Changes by programs with SQLite must not
 * be mistaken for that.
 */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { Load } from '../support/http/load.ts';
import { seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { draft, jsonBody, run, type Service, startService } from '../support/service.ts';
import { integrityOf, type TemporaryDatabase, temporaryDatabase } from './database.ts';
import { type OtherProgram, startOtherProgram } from './other.ts';
import { report } from './report.ts';

const create = ({ url }: Service, title = 'A title') => fetch(`${url}/api/notes`, jsonBody(draft({ title })));

async function createMany(service: Service, count: number): Promise<void> {
  for (let n = 0; n < count; n++) expect((await create(service)).status).toBe(200);
}

/** A service with 100 notes, a backup of them, and 100 notes since. */
async function serviceWithBackup({ settings, path }: TemporaryDatabase): Promise<Service> {
  const service = await startService(settings);
  await createMany(service, 100);
  expect((await run(['backup', `${path}.backup`], settings)).code).toBe(0);
  await createMany(service, 100);
  return service;
}

/** As `cp` does: the inode stays the same. */
const overwriteBy = (backup: string, path: string) => writeFileSync(path, readFileSync(backup));
const halve = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));

/** Writes in a way that recreates the shared index of the log (-shm). */
function writeWithNewIndex(path: string): void {
  rmSync(`${path}-shm`);
  using db = new Database(path);
  db.run("UPDATE notes SET title = 'Theirs' WHERE id = 1");
}

function replaceByCopy(file: string): void {
  const copy = `${file}.copy`;
  copyFileSync(file, copy);
  rmSync(file);
  copyFileSync(copy, file);
}

test.concurrent.each<[string, (path: string) => void]>([
  ['the database is overwritten by a backup', (path) => overwriteBy(`${path}.backup`, path)],
  ['the database is cut in half', halve],
  ['the database is emptied', (path) => truncateSync(path, 0)],
  ['the log is cut in half', (path) => halve(`${path}-wal`)],
  ['the log is emptied', (path) => truncateSync(`${path}-wal`, 0)],
  ['the index of the log is deleted, and another program writes', writeWithNewIndex],
  ['the lock is deleted', (path) => rmSync(`${path}.lock`)],
  ['the lock is replaced', (path) => replaceByCopy(`${path}.lock`)],
])(
  'when %s, no later write is acknowledged and the service ends with 1',
  async (name, strike) => {
    using database = temporaryDatabase();
    await using service = await serviceWithBackup(database);

    strike(database.path);
    const answers = await Promise.allSettled([create(service)]); // the service may have exited already

    const acknowledged = answers.filter(({ status, ...rest }) => 'value' in rest && rest.value.ok);
    expect(acknowledged).toEqual([]);
    expect(await service.process.exited).toBe(1);
    expect(service.log.at(-1)).toContain('"level":"error"');
    report(6, `${name}: 0 of 1 later writes acknowledged, exit code 1`);
  },
  60_000,
);

test('under load, nothing is acknowledged after the database was overwritten by a backup', async () => {
  using database = temporaryDatabase();
  await using service = await serviceWithBackup(database);
  const load = new Load(seeded(seed), 'unknown');
  let struck = 0;

  await load.during(async () => {
    await load.reach(2_000);
    overwriteBy(`${database.path}.backup`, database.path);
    struck = performance.now();
    await service.process.exited;
  }, service);

  report(6, `overwritten under load: last acknowledgement ${(load.acknowledgedAt - struck).toFixed(0)} ms after`);
  expect(load.acknowledgedAt - struck).toBeLessThan(1_000);
  expect(await service.process.exited).toBe(1);
  // SQLite notices first if it reads a page while the file is rewritten.
  const noticed = /notes\.db was deleted or replaced while the service ran|SQLITE_(IOERR|CORRUPT|NOTADB)/;
  expect(service.log.join('\n')).toMatch(noticed);
}, 60_000);

test('a service whose lock was deleted stops though nobody asks for anything', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);

  rmSync(`${database.path}.lock`);

  expect(await service.process.exited).toBe(1);
  expect(service.log.at(-1)).toContain('.lock was deleted or replaced while the service ran');
}, 60_000);

const checkpoints = ['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'];

/** Commits and checkpoints without a pause, as log-shipping programs do. */
async function commitAndCheckpoint(other: OtherProgram, isOver: () => boolean): Promise<number> {
  let rounds = 0;
  while (!isOver()) {
    await other.run(`UPDATE notes SET color = 'info' WHERE id = ${1 + (rounds % 50)} AND title LIKE 'theirs%'`);
    await other.run(`PRAGMA wal_checkpoint(${checkpoints[rounds++ % checkpoints.length]})`);
  }
  return rounds;
}

test(
  'other programs of SQLite that commit and checkpoint under load are no fault',
  async () => {
    using database = temporaryDatabase();
    await using service = await startService(database.settings);
    for (let n = 0; n < 50; n++) await create(service, `theirs ${n}`);
    await using one = startOtherProgram(database.path);
    await using another = startOtherProgram(database.path);
    const load = new Load(seeded(seed), 'unknown');
    let isOver = false;
    const others = [one, another].map((other) => commitAndCheckpoint(other, () => isOver));

    const endings = await load.during(() => Bun.sleep(scaled(30_000, 4_000)), service);
    isOver = true;
    const rounds = await Promise.all(others);

    const figures = `${load.acknowledged} acknowledged beside ${rounds.join(' and ')} commits and checkpoints of others`;
    report(6, `${figures}, the slowest after ${load.longestMs.toFixed(0)} ms`);
    expect(new Set(endings)).toEqual(new Set(['over']));
    expect([...load.answers.keys()]).toEqual([200]);
    expect(await service.stop()).toBe(0);
    expect(integrityOf(database.path)).toBe('ok');
  },
  scaled(30_000, 4_000) + 30_000,
);
