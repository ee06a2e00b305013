/** `notes backup` and `notes restore` from a shell, beside a running service and without one. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backUp } from '../../src/store/sqlite/backup/backup.ts';
import { draft, jsonBody, noteIn, program, run, startService, temporaryFolder } from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';

let folder: ReturnType<typeof temporaryFolder>;
let database: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = temporaryFolder();
  database = join(folder.path, 'notes.db');
  env = { DATABASE_URL: `sqlite:${database}` };
});
afterEach(() => folder[Symbol.dispose]());

async function addNotes(count: number): Promise<void> {
  await using store = await openFile(database);
  await Promise.all(Array.from({ length: count }, () => store.create(draft())));
}

async function notesIn(path: string): Promise<number> {
  await using store = await openFile(path);
  return (await store.list()).length;
}

test('a backup of a busy service holds every note that was acknowledged before it began', async () => {
  await using service = await startService(env);
  let last = 0;
  let goesOn = true;
  const writers = Array.from({ length: 16 }, async () => {
    while (goesOn) last = Math.max(last, (await noteIn(fetch(`${service.url}/api/notes`, jsonBody(draft())))).id);
  });

  const missing: number[] = [];
  for (let round = 0; round < 20; round++) {
    await Bun.sleep(20);
    const answered = last;
    const { notes } = await backUp(database, join(folder.path, `${round}.db`));
    missing.push(Math.max(0, answered - notes));
  }
  goesOn = false;
  await Promise.all(writers);

  expect(last).toBeGreaterThan(100);
  expect(missing).toEqual(Array(20).fill(0));
}, 60_000);

test('a backup without a service holds what a killed one acknowledged', async () => {
  await using service = await startService(env);
  await Promise.all(Array.from({ length: 40 }, () => fetch(`${service.url}/api/notes`, jsonBody(draft()))));
  await service.stop('SIGKILL');

  const { code, stdout, stderr } = await run(['backup'], env);

  expect(code).toBe(0);
  expect(stderr).toMatch(/^Backed up 40 notes \(\d+ KiB\) in \d+\.\d s\n$/);
  expect(dirname(stdout)).toBe(folder.path);
  expect(await notesIn(stdout.trim())).toBe(40);
});

test('a backup into a folder is named after the time, and an existing file is kept without --force', async () => {
  await addNotes(3);
  const target = join(folder.path, 'copy.db');
  writeFileSync(target, 'mine');

  const [inFolder, refused, replaced] = [
    await run(['backup', folder.path], env),
    await run(['backup', target], env),
    await run(['backup', '--force', target], env),
  ];

  expect(inFolder.stdout).toMatch(/\/notes-\d{8}T\d{6}Z\.db\n$/);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(`notes: Cannot write ${target}: it already exists. Name another file, or add --force\n`);
  expect(replaced).toMatchObject({ code: 0, stdout: `${target}\n` });
  expect(await notesIn(target)).toBe(3);
});

test('a path that cannot be used is refused in a sentence', async () => {
  using folder = temporaryFolder();
  const long = join(folder.path, 'n'.repeat(300));

  const refused = await Promise.all([['backup'], ['restore', long]].map((args) => run([...args, '--db', long])));

  expect(refused).toEqual(
    refused.map(() => ({ code: 1, stdout: '', stderr: `notes: Cannot use ${long}: the name is too long\n` })),
  );
});

test('a backup of no notes is refused, and makes none', async () => {
  const { code, stderr } = await run(['backup'], env);

  expect(code).toBe(1);
  expect(stderr).toContain('there are no notes');
  expect(readdirSync(folder.path)).toEqual([]);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 1],
] as const)('a backup that %s ends leaves nothing', async (signal, expected) => {
  await addNotes(1);
  enlarge(60);
  const child = Bun.spawn([...program, 'backup'], { env, stdout: 'pipe', stderr: 'pipe', stdin: 'ignore' });
  while (!readdirSync(folder.path).some((name) => name.startsWith('.notes-'))) await Bun.sleep(1);

  child.kill(signal);

  expect(await child.exited).toBe(expected);
  expect(await child.stdout.text()).toBe('');
  expect(readdirSync(folder.path).filter((name) => /^\.?notes-/.test(name))).toEqual([]); // a copy would be named so
});

/** Fills the first note with this many MB, so that a copy takes a while. */
function enlarge(megabytes: number): void {
  using db = new Database(database);
  db.run("UPDATE notes SET content = printf('%.*c', ?, 'x') WHERE id = 1", [megabytes * 2 ** 20]);
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

test.each([
  ['backup', { DATABASE_URL: 'postgres://me:secret@db.example/notes' }, 'pg_dump --format=custom --file=notes.dump'],
  ['restore x', { DATABASE_URL: 'postgres://me:secret@db.example/notes' }, 'pg_restore'],
  ['backup', { NOTES_URL: 'http://127.0.0.1:1' }, 'run this there, without NOTES_URL'],
  ['backup', { DATABASE_URL: 'sqlite::memory:' }, 'holds no notes'],
  ['restore x', { NOTES_URL: 'http://127.0.0.1:1' }, 'run this there, without NOTES_URL'],
])('"%s" says what to do instead where it cannot work', async (command, settings, remedy) => {
  const { code, stdout, stderr } = await run(command.split(' '), settings);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(remedy);
  expect(stderr).not.toContain('secret');
});

test('a restore brings back the notes of the backup, and prints where it saved the others', async () => {
  await addNotes(3);
  const backup = join(folder.path, 'copy.db');
  await run(['backup', backup], env);
  await addNotes(2);

  const { code, stdout, stderr } = await run(['restore', backup, '--yes'], env);

  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `Restored 3 notes from ${backup} into ${database}\nThe previous database is saved in\n`,
  });
  expect(stdout).toMatch(/\/notes\.db\.before-restore-\d{8}T\d{6}Z\n$/);
  expect([await notesIn(database), await notesIn(stdout.trim())]).toEqual([3, 5]);
});

test('a restore without a terminal does not ask, and changes nothing without --yes', async () => {
  await addNotes(3);
  const before = statSync(database).mtimeMs;

  const { code, stderr } = await run(['restore', database], env);

  expect(code).toBe(2);
  expect(stderr).toBe('notes: Cannot ask without a terminal: add --yes to replace the notes\n');
  expect(statSync(database).mtimeMs).toBe(before);
});

test('a restore is refused while the service runs, which keeps running', async () => {
  await addNotes(3);
  const backup = join(folder.path, 'copy.db');
  await run(['backup', backup], env);
  await using service = await startService(env);

  const { code, stderr } = await run(['restore', backup, '--yes'], env);

  expect(code).toBe(1);
  expect(stderr).toContain('is in use by another notes service. Stop it first');
  expect((await fetch(`${service.url}/api/notes`, jsonBody(draft()))).status).toBe(200);
});

test('a restore onto a machine without notes needs no confirmation', async () => {
  await addNotes(3);
  const backup = join(folder.path, 'copy.db');
  await run(['backup', backup], env);
  rmSync(database);

  const path = join(folder.path, 'new', 'notes.db');
  const { code, stdout } = await run(['restore', backup, '--yes', '--json', '--db', path]);

  expect([code, JSON.parse(stdout)]).toEqual([0, { path, notes: 3 }]);
  expect(await notesIn(path)).toBe(3);
});
