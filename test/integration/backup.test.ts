/** `notes backup` and `notes restore` from a shell, beside a running service and without one. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDraft } from '../support/sample-notes.ts';
import { createTemporaryFolder, program, runNotesCommand } from '../support/service.ts';
import { enlargeFirstNote, openFile } from '../support/stores/open-file.ts';
import { Terminal } from '../support/terminal/terminal.ts';

let folder: ReturnType<typeof createTemporaryFolder>;
let database: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = createTemporaryFolder();
  database = join(folder.path, 'notes.db');
  env = { DATABASE_URL: `sqlite:${database}` };
});
afterEach(() => folder[Symbol.dispose]());

async function addNotes(count: number): Promise<void> {
  await using store = await openFile(database);
  await Promise.all(Array.from({ length: count }, () => store.create(createDraft())));
}

async function countNotes(path: string): Promise<number> {
  await using store = await openFile(path);
  return (await store.list()).length;
}

test('a backup is made beside the database or in a folder, and replaces a file with --force', async () => {
  await addNotes(3);
  const target = join(folder.path, 'copy.db');
  mkdirSync(join(folder.path, 'backups'));
  writeFileSync(target, 'mine');

  const [beside, inFolder, refused, replaced] = [
    await runNotesCommand(['backup'], env),
    await runNotesCommand(['backup', join(folder.path, 'backups')], env),
    await runNotesCommand(['backup', target], env),
    await runNotesCommand(['backup', '--force', target], env),
  ];

  expect(beside.stdout).toMatch(/\/notes-[\dT-]+Z\.db\n$/);
  expect(inFolder.stdout).toMatch(/\/backups\/notes-[\dT-]+Z\.db\n$/);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(`notes: Cannot write ${target}: it already exists. Name another file, or add --force\n`);
  expect(replaced).toMatchObject({ code: 0, stdout: `${target}\n` });
  expect(await countNotes(target)).toBe(3);
});

test('a backup of no notes is refused, and makes none', async () => {
  const { code, stderr } = await runNotesCommand(['backup'], env);

  expect(code).toBe(1);
  expect(stderr).toContain('there are no notes');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a backup that a signal ends leaves nothing', async () => {
  await addNotes(1);
  enlargeFirstNote(database, 60);
  const child = Bun.spawn([...program, 'backup'], { env, stdout: 'pipe', stderr: 'pipe', stdin: 'ignore' });
  while (!readdirSync(folder.path).some((name) => name.startsWith('.notes-'))) await Bun.sleep(1);

  child.kill('SIGINT');

  expect(await child.exited).toBe(130);
  expect(await child.stdout.text()).toBe('');
  expect(readdirSync(folder.path).filter((name) => /^\.?notes-/.test(name))).toEqual([]); // a copy would be named so
});

test.each([
  ['backup', { DATABASE_URL: 'postgres://me:secret@db.example/notes' }, 'pg_dump --format=custom --file=notes.dump'],
  ['restore x', { DATABASE_URL: 'postgres://me:secret@db.example/notes' }, 'pg_restore'],
  ['backup', { NOTES_URL: 'http://127.0.0.1:1' }, 'run this there, without NOTES_URL'],
  ['backup', { DATABASE_URL: 'sqlite::memory:' }, 'holds no notes'],
  ['restore 12', {}, '"notes revert 12" reverts a note'],
])('"%s" says what to do instead where it cannot work', async (command, settings, remedy) => {
  const { code, stdout, stderr } = await runNotesCommand(command.split(' '), settings);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(remedy);
  expect(stderr).not.toContain('secret');
});

/** Makes a backup of so many notes, and adds some. */
async function backUpBefore(added: number, notes = 0): Promise<string> {
  await addNotes(notes);
  const backup = join(folder.path, 'copy.db');
  await runNotesCommand(['backup', backup], env);
  await addNotes(added);
  return backup;
}

test('a restore brings back the notes of the backup, and prints where it saved the others', async () => {
  const backup = await backUpBefore(2, 3);

  const { code, stdout, stderr } = await runNotesCommand(['restore', backup, '--yes'], env);

  const [first, second] = stderr.split('\n');
  expect([code, first]).toEqual([0, `Restored 3 notes from ${backup} into ${database}`]);
  expect(second).toMatch(/^The previous database \(5 notes, the newest of [^)]+Z\) is saved in \S+$/);
  expect(second).toEndWith(` ${stdout.trim()}`);
  expect(stdout).toMatch(/\/notes\.db\.before-restore-[\dT-]+Z\n$/);
  expect([await countNotes(database), await countNotes(stdout.trim())]).toEqual([3, 5]);
});

const bothNumbers = /eplace \S+\/notes\.db \(2 notes, the newest of [\dT:.-]+Z\) with \S+\/copy\.db \(0 notes\)/;

test('a restore of a file without notes over notes needs --yes without a terminal, and says both numbers', async () => {
  const backup = await backUpBefore(2);

  const { code, stderr } = await runNotesCommand(['restore', backup], env);

  expect([code, await countNotes(database)]).toEqual([2, 2]);
  expect(stderr).toMatch(bothNumbers);
  expect(stderr).toStartWith('notes: Cannot ask without a terminal: add --yes to replace ');
});

test.each([
  ['y\r', 0, 0],
  ['\r', 1, 2],
])('on a terminal it asks and says both numbers: %p ends it with %d and leaves %d notes', async (typed, code, left) => {
  const backup = await backUpBefore(2);
  await using terminal = new Terminal([...program, 'restore', backup], { env, columns: 400 });

  await terminal.waitForText('[y/N]');
  expect(terminal.screenText).toMatch(bothNumbers);
  terminal.press(typed);

  expect([await terminal.waitForExitCode(), await countNotes(database)]).toEqual([code, left]);
});
