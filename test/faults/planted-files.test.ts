/** Files planted by other users next to a database, in a shared folder: not trusted, and reported. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { instanceHeader } from '../../src/http/headers.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { serveInVain } from '../support/refusal.ts';
import { draft, run, temporaryFolder } from '../support/service.ts';
import { obstacleToOtherUsers, owner, runAs, stranger } from '../support/system/other-user.ts';
import { makePipe } from '../support/system/pipe.ts';
import { settingsOf } from './database.ts';
import { reportSkipped } from './report.ts';

const reason = obstacleToOtherUsers();
if (reason !== undefined) reportSkipped(7, `planted files: ${reason}`);

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder.path, 'notes.db');
  env = settingsOf(path);
  await using store = await openSqlite({ path });
  await store.create(draft({ title: 'The first' }));
});
afterEach(() => folder[Symbol.dispose]());

/** Makes the folder writable for all, with the sticky bit; the notes belong to the owner. */
function shareFolder(): void {
  chmodSync(folder.path, 0o1777);
  for (const file of [path, `${path}.lock`]) chownSync(file, owner, owner);
}

const opened = ['-wal', '-shm', '-journal', '.lock', '-redo'];

test.each(opened)('a symbolic link at %s is refused by service, commands and doctor', async (suffix) => {
  const target = join(folder.path, 'elsewhere');
  writeFileSync(target, 'not ours');
  rmSync(path + suffix, { force: true });
  symlinkSync(target, path + suffix);

  const refusals = [await serveInVain(env), await run(['list'], env), await run(['backup'], env)];
  const doctor = await run(['doctor', '--json'], env);

  const sentence = `${path}${suffix} is a symbolic link. Put the file itself there, or remove it if someone else left it\n`;
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(`${path}${suffix} is a symbolic link`);
  expect(readFileSync(target, 'utf8')).toBe('not ours');
});

test.each(opened)('a pipe at %s keeps neither service nor commands nor doctor waiting', async (suffix) => {
  rmSync(path + suffix, { force: true });
  makePipe(path + suffix);

  const refusals = [await serveInVain(env), await run(['list'], env), await run(['backup'], env)];
  const doctor = await run(['doctor', '--json'], env);

  const sentence = `${path}${suffix} is not a file`;
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(sentence);
});

test.each(opened)('a hard link at %s is refused', async (suffix) => {
  const target = join(folder.path, 'elsewhere');
  writeFileSync(target, 'not ours');
  rmSync(path + suffix, { force: true });
  linkSync(target, path + suffix);

  const { code, stderr } = await serveInVain(env);

  expect([code, stderr]).toEqual([1, expect.stringContaining(`${path}${suffix} has a second name (a hard link)`)]);
  expect(readFileSync(target, 'utf8')).toBe('not ours');
});

test.skipIf(reason !== undefined).each(opened)("a stranger's file at %s is refused", async (suffix) => {
  shareFolder();
  rmSync(path + suffix, { force: true });
  writeFileSync(path + suffix, '');
  chmodSync(path + suffix, 0o666);
  chownSync(path + suffix, stranger, stranger);

  const { code, stderr } = await runAs(owner, ['serve'], env);

  expect([code, stderr]).toEqual([1, expect.stringContaining(`${path}${suffix} belongs to user ${stranger}`)]);
});

test.skipIf(reason !== undefined)(
  "a stranger's folder in memory is left there, and ends no start in memory",
  async () => {
    const killed = Bun.spawnSync(['true']).pid;
    const left = `/dev/shm/notes-memory-${killed}-planted`;
    mkdirSync(left);
    using _left = { [Symbol.dispose]: () => rmSync(left, { recursive: true }) };
    chownSync(left, stranger, stranger);

    const served = await runAs(owner, ['serve'], { DATABASE_URL: 'sqlite::memory:' });
    await using _ofRoot = await openSqlite({ path: ':memory:' });

    expect(served).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(left)).toBe(true);
  },
);

/** A server of another user, whose URL file is next to the notes and who holds their lock. */
async function impersonate(): Promise<Disposable & { readonly requests: string[] }> {
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      return new Response('{}', { headers: { [instanceHeader]: 'forged' } });
    },
  });
  writeFileSync(`${path}.url`, `${server.url.origin}\nforged\n`);
  chownSync(`${path}.url`, stranger, stranger);
  return { requests, [Symbol.dispose]: () => void server.stop(true) };
}

test.skipIf(reason !== undefined)(
  'no note is sent to an address that a stranger has left',
  async () => {
    shareFolder();
    using forged = await impersonate();
    await using _holder = await openSqlite({ path });

    const { code, stderr } = await runAs(owner, ['add', '-m', 'A secret'], env);

    expect([code, stderr]).toEqual([1, expect.stringContaining('is in use by another notes service or command')]);
    expect(forged.requests).toEqual([]);
  },
  60_000,
);

test.skipIf(reason !== undefined)(
  "a stranger's address does not keep a service from its start, which says so once",
  async () => {
    shareFolder();
    using forged = await impersonate();

    const { code, stdout, stderr } = await runAs(owner, ['serve'], env);

    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, stderr]).toEqual([0, '']);
    expect(lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
      'Commands will not find this service: its address could not be written beside the file',
    ]);
    expect(lines.some(({ url }) => typeof url === 'string')).toBe(true);
    expect(forged.requests).toEqual([]);
  },
  60_000,
);

test.skipIf(reason !== undefined)(
  'a lock that the owner of the notes cannot write to is refused, and a fault',
  async () => {
    shareFolder();
    chownSync(`${path}.lock`, 0, 0);
    const refusals: unknown[] = [];
    const faults: unknown[] = [];

    for (const mode of [0o644, 0o600]) {
      chmodSync(`${path}.lock`, mode);
      for (const args of [['serve'], ['add', '-m', 'x']]) refusals.push(await runAs(owner, args, env));
      faults.push(...[await runAs(owner, ['doctor'], env), await run(['doctor'], env)].map(({ stdout }) => stdout));
    }

    const sentence = `${path}.lock cannot be written to. Give it to the user that runs the service`;
    expect(refusals).toEqual(Array(4).fill({ code: 1, stdout: '', stderr: expect.stringContaining(sentence) }));
    expect(faults).toEqual(Array(4).fill(expect.not.stringContaining('lock free')));
    expect(faults).toEqual(Array(4).fill(expect.stringMatching(/fault +lock/)));
  },
  60_000,
);

test.skipIf(reason !== undefined)(
  'a command of root leaves a lock that keeps a second service of the owner out',
  async () => {
    shareFolder();
    rmSync(`${path}.lock`);

    expect((await run(['list'], env)).code).toBe(0);

    expect(statSync(`${path}.lock`).uid).toBe(owner);
    await using _first = await openSqlite({ path });
    const { code, stderr } = await runAs(owner, ['serve'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is in use by another notes service')]);
  },
  60_000,
);
