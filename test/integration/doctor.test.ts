/** `notes doctor` from a shell: its findings and its advice, and that it changes nothing. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireServiceLock } from '../../src/store/sqlite/service-lock.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createTemporaryFolder, runNotesCommand, startService } from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';
import { findObstacleToOtherUsers, owner, runNotesAsUser } from '../support/system/other-user.ts';

interface Check {
  readonly name: string;
  readonly state: string;
  readonly found: string;
  readonly remedy?: string;
}

let folder: ReturnType<typeof createTemporaryFolder>;
let database: string;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  folder = createTemporaryFolder();
  database = join(folder.path, 'notes.db');
  env = { DATABASE_URL: `sqlite:${database}`, PORT: '0', BACKUP_DIR: 'off' };
  await using store = await openFile(database);
  await Promise.all(Array.from({ length: 50 }, () => store.create(createDraft({ content: 'text '.repeat(400) }))));
});
afterEach(() => folder[Symbol.dispose]());

async function examine(settings = env, ...flags: string[]) {
  const { code, stdout } = await runNotesCommand(['doctor', '--json', ...flags], settings);
  const { checks, ok }: { checks: Check[]; ok: boolean } = JSON.parse(stdout);
  return { code, ok, checks, of: (name: string) => checks.find((check) => check.name === name) };
}

/** Names, hashes and modes of the files in the folder. */
const contents = () =>
  readdirSync(folder.path)
    .sort()
    .map((name) => [name, Bun.hash(readFileSync(join(folder.path, name))), statSync(join(folder.path, name)).mode]);

test('a healthy store has no findings, and nothing is changed', async () => {
  const before = contents();

  const { code, ok, checks, of } = await examine();

  expect({ code, ok, faults: checks.filter(({ state }) => state !== 'ok') }).toEqual({ code: 0, ok: true, faults: [] });
  const names = 'versions database permissions folder space integrity backup';
  expect(checks.map(({ name }) => name)).toEqual(names.split(' '));
  expect(of('database')?.found).toBe(`${database} (DATABASE_URL)`);
  expect(of('integrity')?.found).toStartWith('50 notes in');
  expect(contents()).toEqual(before);
});

test('a running service, or that at NOTES_URL, is queried and not disturbed, unless --db names a store', async () => {
  await using service = await startService(env);

  const { code, of } = await examine({ ...env, PORT: String(service.port) });

  expect(code).toBe(0);
  expect(of('service')?.found).toBe(`ready at http://127.0.0.1:${service.port}`);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  const elsewhere = await examine({ ...env, PORT: '9' });
  expect(elsewhere.of('service')?.found).toBe('a service has this database open, but not at http://127.0.0.1:9');

  const settings = { ...env, NOTES_URL: service.url };
  const [there, store] = [await examine(settings), await examine(settings, '--db', database)];
  expect([there.code, there.checks.map(({ found }) => found)]).toEqual([0, [`ready at ${service.url}`]]);
  expect(store.of('integrity')?.state).toBe('ok');
});

test('a service that keeps another database is not taken for that of the one that is named', async () => {
  await using service = await startService(env);
  const other = join(folder.path, 'other.db');
  await (await openFile(other))[Symbol.asyncDispose]();
  using _lock = acquireServiceLock(other); // as a second service has it
  const settings = { ...env, PORT: String(service.port) };
  const keepsAnother = `the service at ${service.url} keeps another database, and was not checked`;

  const [named, configured, elsewhere, missing] = await Promise.all([
    examine(settings, '--db', other),
    examine({ ...settings, DATABASE_URL: `sqlite:${other}` }),
    examine({ ...settings, DATABASE_URL: 'postgres://notes@127.0.0.1:9/notes' }),
    examine(settings, '--db', join(folder.path, 'missing.db')),
  ]);

  const isOpen = 'Another service has this database open';
  expect(named.of('service')).toMatchObject({ state: 'ok', found: `${keepsAnother}. ${isOpen}` });
  expect(configured.of('service')).toMatchObject({
    state: 'warning',
    found: `${keepsAnother}. ${isOpen}`,
    remedy: 'Start it with this DATABASE_URL, or name its database with --db',
  });
  expect(elsewhere.of('service')).toMatchObject({ state: 'warning', found: keepsAnother });
  expect(missing.of('service')).toMatchObject({ state: 'ok', found: keepsAnother });
});

test('for a damaged database the advice is, once, to restore the newest backup beside it', async () => {
  const backup = (await runNotesCommand(['backup'], env)).stdout.trim();
  writeFileSync(database, 'text'.repeat(2_000));

  const { of } = await examine();
  const listed = await runNotesCommand(['list'], env);

  const remedy = `Restore a backup with "notes restore": the newest beside it is ${backup}`;
  expect(of('integrity')).toEqual({
    name: 'integrity',
    state: 'fault',
    found: `Cannot use ${database}: it is not a SQLite database`,
    remedy,
  });
  expect(listed.stderr).toBe(`notes: Cannot use ${database}: it is not a SQLite database. ${remedy}\n`);
});

test('wrong settings are faults, a line each, and the other checks still run', async () => {
  const { code, checks, of } = await examine({ ...env, LOG_LEVEL: 'loud', MAX_BODY_BYTES: 'many' });

  expect(code).toBe(1);
  expect(checks.filter(({ name, state }) => name === 'settings' && state === 'fault')).toHaveLength(2);
  expect(of('integrity')?.state).toBe('ok');
});

const reason = findObstacleToOtherUsers();
if (reason !== undefined) console.warn(`Folders that the user may not use are not tried: ${reason}`);

test.skipIf(reason !== undefined)('what its owner cannot write is a fault, with the command that helps', async () => {
  for (const path of [folder.path, ...contents().map(([name]) => join(folder.path, String(name)))])
    chownSync(path, owner, owner);
  const findings = async (mode: number, modeOfFolder: number) => {
    chmodSync(database, mode);
    chmodSync(folder.path, modeOfFolder);
    const { code, stdout } = await runNotesAsUser(owner, ['doctor'], env);
    return [code, ...stdout.split('\n').filter((line) => line.startsWith('fault'))];
  };

  expect(await findings(0o400, 0o700)).toEqual([
    1,
    `fault   permissions  ${database} cannot be written to (400). chmod 600 ${database}`,
  ]);
  expect(await findings(0o600, 0o500)).toEqual([
    1,
    `fault   folder       ${folder.path} cannot be written to: permission is denied. chmod u+rwx ${folder.path}`,
  ]);
});

test.skipIf(reason !== undefined)('a reader who is not the owner is told whose notes they are', async () => {
  chmodSync(folder.path, 0o755);
  for (const [name] of contents()) chmodSync(join(folder.path, String(name)), 0o644);

  const { stdout } = await runNotesAsUser(owner, ['doctor'], env);

  expect(stdout).toContain(`${database} is owned by user 0, not by you. Run it as that user`);
});

test('a line of text holds the name, the finding and the remedy, without colors in a pipe', async () => {
  chmodSync(database, 0o644);

  const { stdout } = await runNotesCommand(['doctor'], env);

  expect(stdout).toContain(`\nok      database     ${database} (DATABASE_URL)\n`);
  expect(stdout).toContain(`\nwarning permissions  others may use ${database} (644). chmod 600 ${database}\n`);
  expect(stdout).not.toContain('\x1b');
});

test('the health check asks a service without a proxy, and ends where nothing responds', async () => {
  await using service = await startService(env);
  using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const silentUrl = `http://127.0.0.1:${silent.port}`;
  const check = (url: string) => runNotesCommand(['doctor', '--url', url], { HTTP_PROXY: 'http://127.0.0.1:9' });

  const ready = await check(service.url);
  const wrongPath = await check(`${service.url}/wrong`);
  const hangs = await check(silentUrl);
  silent.stop(true);
  const gone = await check(silentUrl);

  expect([ready, hangs, gone].map(({ code }) => code)).toEqual([0, 1, 1]);
  expect(wrongPath.stdout).toBe(
    `fault   service      no notes service is at ${service.url}/wrong: it answered 404. Check the address in --url\n`,
  );
  expect(ready.stdout).toBe(`ok      service      ready at ${service.url}\n`);
  expect(hangs.stdout).toContain('no answer within 3.5 s'); // before the timeout of HEALTHCHECK in Dockerfile, 5 s
  expect(gone.stdout).toEndWith(`nothing listens at ${silentUrl}. Start it with "notes serve"\n`);
});

test('--ready needs a port that is known, and excludes other targets', async () => {
  const unknown = await runNotesCommand(['doctor', '--ready'], { PORT: '0' });
  const both = await runNotesCommand(['doctor', '--ready', '--url', 'http://127.0.0.1:9'], {});

  expect([unknown.code, unknown.stdout]).toEqual([2, '']);
  expect(unknown.stderr).toBe('notes: --ready needs a HOST, and a PORT that is not 0\n');
  expect(both.stderr).toBe('notes: Give only one of --db, --url and --ready\n');
});
