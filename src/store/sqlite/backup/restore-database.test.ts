import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { openFile } from '../../../../test/support/stores/open-file.ts';
import { openSqlite } from '../../open-sqlite.ts';
import { createBackup } from './create-backup.ts';
import { lockAndPrepareRestore, saveAndReplaceDatabase } from './restore-database.ts';

let folder: ReturnType<typeof createTemporaryFolder>;
let database: string;
let backup: string;

const original = createTemporaryFolder();

/** A database with the notes `old` and `newer`, and a backup with only `old`. */
beforeAll(async () => {
  database = join(original.path, 'notes.db');
  await add('old');
  await createBackup(database, join(original.path, 'backup.db'));
  await add('newer');
});
afterAll(() => original[Symbol.dispose]());

/** A copy for each test. */
beforeEach(() => {
  folder = createTemporaryFolder();
  cpSync(original.path, folder.path, { recursive: true });
  database = join(folder.path, 'notes.db');
  backup = join(folder.path, 'backup.db');
});
afterEach(() => folder[Symbol.dispose]());

async function add(title: string): Promise<void> {
  await using store = await openFile(database);
  await store.create(createDraft({ title }));
}

async function readTitles(path: string): Promise<string[]> {
  await using store = await openFile(path);
  return (await store.list()).map(({ title }) => title);
}

/** Leaves the database as a killed service does: with its newest note in the log. */
async function leaveLog(): Promise<void> {
  const left = join(folder.path, 'left');
  {
    await using store = await openSqlite({ path: database });
    await store.create(createDraft({ title: 'newest' }));
    for (const suffix of ['', '-wal', '-shm']) cpSync(database + suffix, left + suffix);
  }
  for (const suffix of ['', '-wal', '-shm']) cpSync(left + suffix, database + suffix);
}

async function restoreAll(): Promise<string> {
  await using prepared = await lockAndPrepareRestore(database, backup);
  return (await saveAndReplaceDatabase(prepared)) ?? '';
}

/** Restores in another process, which is killed after a step. */
async function restoreUntil(step: string): Promise<void> {
  const program = `
    const { lockAndPrepareRestore, saveAndReplaceDatabase } = await import(process.argv[1]);
    const onStep = (step) => step === process.argv[4] && process.kill(process.pid, 'SIGKILL');
    const prepared = await lockAndPrepareRestore(process.argv[2], process.argv[3]);
    onStep('prepared');
    await saveAndReplaceDatabase(prepared, { onStep });
  `;
  const args = [join(import.meta.dir, 'restore-database.ts'), database, backup, step];
  const child = Bun.spawn([process.execPath, '-e', program, ...args]);
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
}

const traces = (sign: string) =>
  readdirSync(folder.path)
    .filter((name) => name.includes(sign))
    .sort();

/** Reads a database in another process, which then leaves it open. */
async function openElsewhere(path: string) {
  const program = `const db = new (require('bun:sqlite').Database)(process.argv[1]);
    db.query('SELECT 1 FROM notes').all(); console.log('open'); setInterval(() => db, 1000);`;
  const other = Bun.spawn([process.execPath, '-e', program, path], { stdout: 'pipe' });
  await other.stdout.getReader().read();
  return other;
}

test('a restore puts the backup in place, saves what was there, and gives no id twice', async () => {
  const saved = await restoreAll();

  expect(await readTitles(database)).toEqual(['old']);
  expect(await readTitles(saved)).toEqual(['old', 'newer']);
  expect([database, saved].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(traces('.notes-')).toEqual([]);
  await add('after');
  await using store = await openFile(database);
  expect((await store.list()).map(({ id }) => id)).toEqual([1, 3]);
});

test('notes that are only in the log of a killed service are saved', async () => {
  await leaveLog();

  const saved = await restoreAll();

  expect(await readTitles(saved)).toEqual(['old', 'newer', 'newest']);
  expect(await readTitles(database)).toEqual(['old']);
});

describe('a killed restore', () => {
  const steps = ['prepared', 'saved', 'unreadable', 'without logs', 'replaced'];

  test.each(steps)('leaves the old notes or the new ones after "%s"', async (step) => {
    await leaveLog();

    await restoreUntil(step);

    const [old, restored] = [['old', 'newer', 'newest'], ['old']];
    expect(await readTitles(database)).toEqual(step === 'replaced' ? restored : old);
  });
});

test.each([
  ['notes', () => {}],
  ['a damaged database', () => writeFileSync(database, 'damaged')],
])('a cancelled restore over %s changes nothing and leaves nothing', async (_, damage) => {
  damage();
  const before = readdirSync(folder.path);
  const enough = new AbortController();
  {
    await using prepared = await lockAndPrepareRestore(database, backup);
    const content = readFileSync(database);
    enough.abort(new Error('enough'));
    await expect(saveAndReplaceDatabase(prepared, { signal: enough.signal })).rejects.toThrow('enough');
    expect(readFileSync(database)).toEqual(content);
  }

  expect(readdirSync(folder.path)).toEqual(before);
});

test('a damaged database is saved with its log, and a second one within a second beside it', async () => {
  await leaveLog();
  setSystemTime(new Date('2026-01-31T12:00:00.000Z'));
  const saved: string[] = [];
  for (const damaged of ['damaged once', 'damaged twice']) {
    writeFileSync(database, damaged);
    saved.push(await restoreAll());
  }
  setSystemTime();

  const name = `${database}.before-restore-2026-01-31T12-00-00Z`;
  expect(saved).toEqual([name, `${name}-2`]);
  expect(saved.map((file) => readFileSync(file, 'utf8'))).toEqual(['damaged once', 'damaged twice']);
  expect(statSync(`${name}-wal`).size).toBeGreaterThan(0);
});

test('a database that another program has open is not replaced', async () => {
  await using _other = await openElsewhere(database);

  await expect(lockAndPrepareRestore(database, backup)).rejects.toThrow('another program has locked it');

  expect(await readTitles(database)).toEqual(['old', 'newer']);
});

test.each([0, 7])('a database of another program, at its version %d, is not replaced', async (version) => {
  rmSync(database);
  rmSync(`${database}.lock`, { force: true });
  using foreign = new Database(database);
  foreign.run(`PRAGMA user_version = ${version}`);
  foreign.run('CREATE TABLE accounts (id INTEGER)');

  await expect(lockAndPrepareRestore(database, backup)).rejects.toThrow('is a database of another program');

  expect(readdirSync(folder.path).sort()).toEqual(['backup.db', 'notes.db']);
});

test.each<[reason: string, damage: (file: string) => void]>([
  ['there is no such file', (file) => rmSync(file)],
  ['it is a folder. Name a file that "notes backup" made', replaceByFolder],
  ['it is damaged', (file) => truncateSync(file, statSync(file).size - 4096)],
  ['it was written by a newer version of Notes', (file) => change(file, 'PRAGMA user_version = 99')],
])('a backup is refused because %s', async (reason, damage) => {
  damage(backup);

  await expect(lockAndPrepareRestore(database, backup)).rejects.toThrow(reason);

  expect(await readTitles(database)).toEqual(['old', 'newer']);
});

function replaceByFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

function change(file: string, statement: string): void {
  using db = new Database(file);
  db.run(statement);
}
