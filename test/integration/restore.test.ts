import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { backUp } from '../../src/store/sqlite/backup/backup.ts';
import { prepareRestore, takeSteps } from '../../src/store/sqlite/backup/restore.ts';
import { draft, run, startService, temporaryFolder } from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';
import { makePipe } from '../support/system/pipe.ts';

let folder: ReturnType<typeof temporaryFolder>;
let database: string;
let backup: string;
beforeEach(() => {
  folder = temporaryFolder();
  database = join(folder.path, 'notes.db');
  backup = join(folder.path, 'backup.db');
});
afterEach(() => folder[Symbol.dispose]());

async function add(...titles: string[]): Promise<void> {
  await using store = await openFile(database);
  for (const title of titles) await store.create(draft({ title }));
}

async function titlesIn(path: string): Promise<string[]> {
  await using store = await openFile(path);
  return (await store.list()).map(({ title }) => title);
}

/** A database with the notes `old` and `newer`, and a backup with only `old`. */
async function prepare(): Promise<void> {
  await add('old');
  await backUp(database, backup);
  await add('newer');
}

/** Leaves the database as a killed service does: with its newest notes in the logs. */
async function leaveLogs(): Promise<void> {
  const writing = join(folder.path, 'writing.db');
  copyFileSync(database, writing);
  await using service = await startService({ DATABASE_URL: `sqlite:${writing}` });
  const body = JSON.stringify(draft({ title: 'newest' }));
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
  await Promise.all(Array.from({ length: 40 }, () => fetch(`${service.url}/api/notes`, options)));
  await service.stop('SIGKILL');
  for (const suffix of ['', '-wal', '-shm']) cpSync(writing + suffix, database + suffix);
}

/** Runs `prepare` and `leaveLogs` once; `again` brings back the same files. */
async function prepareWithLogs(): Promise<Disposable & { readonly again: () => void }> {
  await prepare();
  await leaveLogs();
  const kept = temporaryFolder();
  cpSync(folder.path, kept.path, { recursive: true });
  return {
    again() {
      for (const name of readdirSync(folder.path)) rmSync(join(folder.path, name), { recursive: true });
      cpSync(kept.path, folder.path, { recursive: true });
    },
    [Symbol.dispose]: () => kept[Symbol.dispose](),
  };
}

/** Reads a database in another process, which then leaves it open. */
async function openElsewhere(path: string) {
  const program = `const db = new (require('bun:sqlite').Database)(process.argv[1]);
    db.query('SELECT 1 FROM notes').all(); console.log('open'); setInterval(() => db, 1000);`;
  const other = Bun.spawn([process.execPath, '-e', program, path], { stdout: 'pipe' });
  await other.stdout.getReader().read();
  return other;
}

/** Takes the first steps of a restore, and stops as a killed process does: without rolling back. */
async function restoreUntil(steps: number): Promise<string | undefined> {
  await using restore = await prepareRestore(database, backup);
  for (const { run } of restore.steps.slice(0, steps)) await run();
  return restore.saved;
}

async function restoreAll(): Promise<string> {
  return (await restoreUntil(Number.POSITIVE_INFINITY)) ?? '';
}

test('a restore puts the backup in place, and saves what was there', async () => {
  await prepare();

  const saved = await restoreAll();

  expect(await titlesIn(database)).toEqual(['old']);
  expect(await titlesIn(saved)).toEqual(['old', 'newer']);
  expect([database, saved].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('an id assigned after the backup is not reused after the restore', async () => {
  await prepare();

  await restoreAll();
  await add('after');

  await using store = await openFile(database);
  expect((await store.list()).map(({ id }) => id)).toEqual([1, 3]);
});

test('notes that are only in the logs of a killed service are saved', async () => {
  await prepare();
  await leaveLogs();

  const saved = await restoreAll();

  expect((await titlesIn(saved)).filter((title) => title === 'newest')).toHaveLength(40);
  expect(await titlesIn(database)).toEqual(['old']);
});

describe('an interrupted restore', () => {
  test('leaves the old notes or the new ones, whichever step was the last', async () => {
    using files = await prepareWithLogs();
    const endings: string[][] = [];
    for (let steps = 0; steps <= 5; steps++) {
      files.again();
      await restoreUntil(steps);
      endings.push([...new Set(await titlesIn(database))]);
    }

    const [old, restored] = [['old', 'newer', 'newest'], ['old']];
    expect(endings).toEqual([old, old, old, old, restored, restored]);
  }, 60_000);

  test('leaves a damaged database refused, or the new notes, and always a copy of the old files', async () => {
    using files = await prepareWithLogs();
    const endings: string[] = [];
    for (let steps = 1; steps <= 6; steps++) {
      files.again();
      writeFileSync(database, 'damaged');
      const saved = (await restoreUntil(steps)) ?? '';
      endings.push(await titlesIn(database).then(String, () => 'refused'));
      expect([existsSync(saved), existsSync(`${saved}-wal`)]).toEqual([true, true]);
    }

    expect(endings).toEqual(['refused', 'refused', 'refused', 'refused', 'old', 'old']);
  }, 60_000);
});

const enough = new AbortController();

test.each([
  ['fails', () => rmSync(backup)],
  ['is interrupted', () => enough.abort(new Error('enough'))],
])('a restore that %s before anything is changed leaves no copy', async (_, run) => {
  await prepare();
  await using restore = await prepareRestore(database, backup);
  const steps = restore.steps.toSpliced(1, 0, { run });

  const failed = takeSteps({ ...restore, steps }, enough.signal);

  await expect(failed).rejects.toThrow();
  expect(readdirSync(folder.path).filter((name) => name.includes('before-restore'))).toEqual([]);
});

test('a second restore within a second keeps what the first one saved', async () => {
  await prepare();
  using _time = { [Symbol.dispose]: () => setSystemTime() };
  setSystemTime(new Date('2026-01-31T12:00:00.000Z'));

  const saved: string[] = [];
  for (const damaged of ['damaged once', 'damaged twice']) {
    writeFileSync(database, damaged);
    saved.push(await restoreAll());
  }

  expect(saved.map((file) => readFileSync(file, 'utf8'))).toEqual(['damaged once', 'damaged twice']);
});

test('a restore without previous notes saves nothing', async () => {
  await prepare();
  rmSync(database);

  const saved = await restoreAll();

  expect(saved).toBe('');
  expect(await titlesIn(database)).toEqual(['old']);
});

test('the log of a missing database is saved', async () => {
  await prepare();
  await leaveLogs();
  rmSync(database);

  const saved = await restoreAll();

  expect(statSync(`${saved}-wal`).size).toBeGreaterThan(0);
  expect(await titlesIn(database)).toEqual(['old']);
});

test('a database that a killed reader left with an empty log is restored as a backup', async () => {
  await prepare();
  const left = join(folder.path, 'left.db');
  copyFileSync(database, left);
  await using reader = await openElsewhere(left);
  reader.kill('SIGKILL');
  await reader.exited;
  expect([`${left}-wal`, `${left}-shm`].map((file) => statSync(file).size)).toEqual([0, 32_768]);

  await using _restore = await prepareRestore(database, left);
});

test('a locked database is not restored', async () => {
  await prepare();
  await using service = await startService({ DATABASE_URL: `sqlite:${database}` });

  const refused = prepareRestore(database, backup);

  await expect(refused).rejects.toThrow('is in use by another notes service');
  expect(await (await fetch(`${service.url}/api/notes`)).json()).toHaveLength(2);
});

test('a database that another program has open is not restored', async () => {
  await prepare();
  await using _other = await openElsewhere(database);

  const refused = prepareRestore(database, backup);

  await expect(refused).rejects.toThrow(`Another program has ${database} open`);
  expect(await titlesIn(database)).toEqual(['old', 'newer']);
});

test.each([0, 7])('a database of another program, at its version %d, is not replaced', async (version) => {
  await prepare();
  rmSync(database);
  using foreign = new Database(database);
  foreign.run(`PRAGMA user_version = ${version}`);
  foreign.run('CREATE TABLE accounts (id INTEGER)');

  const refused = prepareRestore(database, backup);

  await expect(refused).rejects.toThrow('is a database of another program');
});

test.each<[reason: string, put: (path: string) => void]>([
  ['it is a pipe or a device', makePipe],
  ['it is a folder', (path) => mkdirSync(path)],
])('in place of the database, nothing is restored where %s', async (reason, put) => {
  await prepare();
  const place = join(folder.path, 'place');
  put(place);
  const before = readdirSync(folder.path);

  const refused = prepareRestore(place, backup);

  await expect(refused).rejects.toThrow(reason);
  expect(readdirSync(folder.path)).toEqual(before);
});

test.each<[reason: string, damage: (file: string) => void]>([
  ['there is no such file', (file) => rmSync(file)],
  ['it is a folder. Name a file', replaceByFolder],
  ['it is not a SQLite database', (file) => writeFileSync(file, 'text')],
  ['it is damaged', (file) => truncateSync(file, statSync(file).size - 4096)],
  ['it holds no notes of this program', (file) => change(file, 'PRAGMA application_id = 1')],
  ['it was written by a newer version of Notes', (file) => change(file, 'PRAGMA user_version = 99')],
  ['it is a database in use', (file) => writeFileSync(`${file}-wal`, 'log')],
])('a backup is refused because %s', async (reason, damage) => {
  await prepare();
  damage(backup);

  const refused = prepareRestore(database, backup);

  await expect(refused).rejects.toThrow(reason);
  expect(await titlesIn(database)).toEqual(['old', 'newer']);
});

test('a file that is missing or no backup is reported before any other problem', async () => {
  await prepare();
  const log = join(folder.path, 'start1.log');
  writeFileSync(log, 'log');
  const missing = join(folder.path, 'nofile.db');

  const noBackup = await run(['restore', '--yes', '--db', database, log]);
  const notThere = await run(['restore', '--db', database, missing]);
  const unasked = await run(['restore', '--db', database, backup]);

  expect(noBackup).toMatchObject({
    code: 1,
    stderr: `notes: Cannot use ${log}: it is not a SQLite database. Name a file that "notes backup" made\n`,
  });
  expect(notThere).toMatchObject({ code: 1, stderr: `notes: Cannot use ${missing}: there is no such file\n` });
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes to replace the notes') });
  expect(await titlesIn(database)).toEqual(['old', 'newer']);
});

function replaceByFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

function change(file: string, statement: string): void {
  using db = new Database(file);
  db.run(statement);
}
