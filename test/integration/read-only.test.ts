/** A store that may be read but not written: commands show it, and create or change no file. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, type Ran, runNotesCommand, startService } from '../support/service.ts';
import { findObstacleToMounting, mountMemoryDisk, remountReadOnly, unmountAllDisks } from '../support/system/disk.ts';
import { findObstacleToOtherUsers, runNotesAsUser, stranger } from '../support/system/other-user.ts';

afterAll(unmountAllDisks);

const reads = [
  ['list', '--all', '--json'],
  ['show', '1'],
  ['export', '-'],
  ['history', '1'],
] as const;

/** A folder that others may enter. */
function publicFolder(mode = 0o755): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'notes-public-'));
  chmodSync(path, mode);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const content = `${'x'.repeat(4_000)}\n`;

async function storeNotes(path: string): Promise<void> {
  await using store = await openSqlite({ path });
  for (let n = 0; n < 30; n++) await store.create(createDraft({ content }));
  await store.update(1, { title: 'Changed' });
}

const makeReadable = (folder: string) => {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
};

/** Name, content, size and times of each file. */
const readFileStates = (folder: string) =>
  readdirSync(folder).map((name) => {
    const { size, mtimeMs, mode } = statSync(join(folder, name));
    return [name, size, mtimeMs, mode, Bun.hash(readFileSync(join(folder, name)))];
  });

type Run = (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<Ran>;

const asStranger: Run = (args, env) => runNotesAsUser(stranger, args, { ...env, XDG_STATE_HOME: '/dev/null' });

/** Expects that commands read notes as their owner does, are refused writes, and leave all files as they are. */
async function expectReadable(folder: string, runReader: Run, reason: RegExp, warning = ''): Promise<void> {
  const env = { DATABASE_URL: `sqlite:${join(folder, 'notes.db')}` };
  const before = readFileStates(folder);

  const [list, show, exported, history] = await Promise.all(reads.map((args) => runReader(args, env)));
  const doctor = await runReader(['doctor'], env);
  using backups = publicFolder(0o777);
  const backup = await runReader(['backup', join(backups.path, 'copy.db')], env);
  const add = await runReader(['add', '-m', 'x'], env);
  const serve = await runReader(['serve'], env);
  const archive = await runReader(['archive', '2'], env);

  expect(readFileStates(folder)).toEqual(before);
  expect(JSON.parse(list?.stdout ?? '')).toHaveLength(30);
  expect(show).toEqual({ code: 0, stdout: content, stderr: warning });
  expect(exported?.stdout.split('\n')).toHaveLength(31);
  expect(history?.stdout).toMatch(/^1\t\S+\ttitle\t/);
  expect(doctor.stdout).toContain('30 notes');
  expect(backup).toMatchObject({ code: 0, stderr: expect.stringContaining('30 notes') });
  expect(archive).toMatchObject({ code: 1, stdout: '' });
  expect(archive.stderr).toStartWith(`${warning}notes: The database is read-only`);
  for (const refused of [add, serve]) {
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(reason);
  }
}

describe.skipIf(findObstacleToOtherUsers() !== undefined)('as another user, to whom', () => {
  test('neither file nor folder is open', async () => {
    using folder = publicFolder();
    await storeNotes(join(folder.path, 'notes.db'));
    makeReadable(folder.path);

    await expectReadable(folder.path, asStranger, /^notes: Cannot use .*notes\.db: .*permissions/);
  });

  test.each(['SIGKILL', undefined] as const)('the files of a service are closed (%p)', async (signal) => {
    using folder = publicFolder();
    const path = join(folder.path, 'notes.db');
    await storeNotes(path);
    await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
    await fetch(`${service.url}/api/notes/2`, createJsonRequest({ id: 2, title: 'In the log' }, 'PUT'));
    if (signal) await service.stop(signal);
    makeReadable(folder.path);

    const left = `notes: The log of ${path} cannot be written again, so its newest notes may not be on disk\n`;
    const warning = signal && left;
    await expectReadable(folder.path, asStranger, /^notes: Cannot use .*notes\.db: .*permissions/, warning);

    const shown = await asStranger(['list', '--json', '--all'], { DATABASE_URL: `sqlite:${path}` });
    expect(shown.stdout).toContain('In the log');
  });
});

test.skipIf(findObstacleToMounting() !== undefined)('on a file system that is read-only', async () => {
  using disk = mountMemoryDisk(16);
  await storeNotes(join(disk.path, 'notes.db'));
  remountReadOnly(disk);

  await expectReadable(
    disk.path,
    runNotesCommand,
    /^notes: Cannot use .*notes\.db: its file system is read-only\. Name another/,
  );
});
