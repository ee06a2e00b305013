/** Automatic backups: the whole service runs in this process, and checks for a due backup at once. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigAndWarn } from '../../src/config/config.ts';
import type { Log } from '../../src/service/log.ts';
import { runService } from '../../src/service/run-service.ts';
import type { StopRequest } from '../../src/service/shutdown.ts';
import { getFreeBackupPath } from '../../src/store/sqlite/backup/backup-names.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  readNotesBody,
  runNotesCommand,
  startService,
} from '../support/service.ts';
import { enlargeFirstNote } from '../support/stores/open-file.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

let home: ReturnType<typeof createTemporaryFolder>;
let database: string;
let backups: string;
beforeEach(() => {
  home = createTemporaryFolder();
  database = join(home.path, 'notes', 'notes.db');
  backups = join(home.path, 'notes', 'backups');
});
afterEach(() => home[Symbol.dispose]());

interface Line {
  readonly level: string;
  readonly sentence: string;
  readonly backup?: string;
}

/** Starts the service at the default store. `first` resolves with the first log line about a backup. */
async function start(env: Readonly<Record<string, string>> = {}) {
  const stopping = Promise.withResolvers<StopRequest>();
  const listening = Promise.withResolvers<string>();
  const first = Promise.withResolvers<Line>();
  const lines: Line[] = [];
  const at = (level: string) => (facts: { url?: string; backup?: string }, sentence: string) => {
    const line = { level, sentence, ...(facts.backup && { backup: facts.backup }) };
    lines.push(line);
    if (facts.url) listening.resolve(facts.url);
    if (sentence.includes('backup')) first.resolve(line);
  };
  const log: Log = { level: 'info', debug() {}, info: at('info'), warn: at('warn'), error: at('error') };
  const config = readConfigAndWarn({ XDG_DATA_HOME: home.path, PORT: '0', ...env });
  const ended = runService(config, log, stopping, { schedule: { firstMs: 0, everyMs: hourMs } });
  const url = await Promise.race([
    listening.promise,
    ended.then((code) => Promise.reject(new Error(`ended: ${code}`))),
  ]);
  return {
    url,
    lines,
    first: first.promise,
    async metric(name: string): Promise<number> {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^notes_backup_${name} (.+)$`, 'm').exec(text)?.[1]);
    },
    async [Symbol.asyncDispose]() {
      stopping.resolve({ reason: 'the test is over' });
      expect(await ended).toBe(0);
    },
  };
}

/** Creates one note in the store and changes it twice. */
async function fill(): Promise<void> {
  await using service = await startService({ XDG_DATA_HOME: home.path, DATABASE_URL: '' });
  const { id } = await readNoteBody(
    fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ title: 'one' }))),
  );
  for (const title of ['two', 'three']) {
    await fetch(`${service.url}/api/notes/${id}`, createJsonRequest({ id, title }, 'PUT'));
  }
  await service.stop();
}

test('a service makes a backup beside the default store, and a restore brings notes and history back', async () => {
  await fill();
  let made: Line;
  {
    await using service = await start();
    made = await service.first;
    expect(await service.metric('last_failed')).toBe(0);
    expect(Math.abs((await service.metric('last_success_timestamp_seconds')) - Date.now() / 1000)).toBeLessThan(60);
    await fetch(`${service.url}/api/notes/1`, createJsonRequest({ id: 1, title: 'spoilt' }, 'PUT'));
  }
  expect(made).toMatchObject({ level: 'info', sentence: `The automatic backup is ${made.backup}` });
  expect(readdirSync(backups).map((name) => join(backups, name))).toEqual([made.backup ?? '']);

  const { code } = await runNotesCommand(['restore', '--yes', made.backup ?? ''], { XDG_DATA_HOME: home.path });

  expect(code).toBe(0);
  await using service = await startService({ XDG_DATA_HOME: home.path, DATABASE_URL: '' });
  const titles = async (path: string) => (await readNotesBody(fetch(service.url + path))).map(({ title }) => title);
  expect(await titles('/api/notes')).toEqual(['three']);
  expect(await titles('/api/notes/1/history')).toEqual(['two', 'one']);
});

test.each([{ BACKUP_DIR: 'off' }, { DATABASE_URL: 'sqlite::memory:' }])('%p: no backups, no metrics', async (env) => {
  await using service = await start(env);
  await fetch(`${service.url}/api/notes`);

  expect(await service.metric('last_failed')).toBeNaN();
  expect(readdirSync(home.path, { recursive: true }).filter((name) => `${name}`.includes('backups'))).toEqual([]);
});

test('a service on a named file makes backups in BACKUP_DIR, else says that there are none, or that they will fail', async () => {
  const DATABASE_URL = `sqlite:${join(home.path, 'x.db')}`;
  {
    await using off = await start({ DATABASE_URL });
    expect((await off.first).sentence).toBe('Automatic backups are off. BACKUP_DIR names their folder');
  }
  {
    await using on = await start({ DATABASE_URL, BACKUP_DIR: join(home.path, 'copies') });
    expect((await on.first).backup).toMatch(/\/copies\/x-[\dT-]+Z\.db$/);
  }
  await using failing = await start({ DATABASE_URL, BACKUP_DIR: join(home.path, 'not', 'there') });
  expect((await failing.first).sentence).toBe(
    `Automatic backups will fail: there is no folder ${home.path}/not (BACKUP_DIR)`,
  );
});

test('a service that is stopped during a backup does not wait for its end', async () => {
  await fill();
  enlargeFirstNote(database, 200); // its backup must not end before the service is stopped
  const service = await start();
  expect(await isEventuallyTrue(() => existsSync(backups) && readdirSync(backups).length > 0)).toBe(true);
  expect(readdirSync(backups)).toEqual(['.notes-automatic-notes.db']);

  await service[Symbol.asyncDispose]();

  expect(service.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  expect(readdirSync(backups).filter((name) => name.startsWith('notes'))).toEqual([]);
});

test('the doctor reports the newest backup and its age, and complains when it is old or does not open', async () => {
  const examine = async (env = {}) => {
    const { code, stdout } = await runNotesCommand(['doctor', '--json'], {
      XDG_DATA_HOME: home.path,
      PORT: '0',
      ...env,
    });
    const { checks }: { checks: { name: string; found: string }[] } = JSON.parse(stdout);
    return { code, ...checks.find(({ name }) => name === 'backup') };
  };
  await fill();
  expect(await examine()).toMatchObject({ code: 0, state: 'ok', found: expect.stringContaining(`none in ${backups}`) });
  expect(await examine({ BACKUP_KEEP: '7 4 0MiB' })).toMatchObject({
    state: 'warning',
    found: `none in ${backups}: the database exceeds the space for backups`,
    remedy: expect.stringContaining('BACKUP_KEEP'),
  });
  let backup: string;
  {
    await using service = await start();
    backup = (await service.first).backup ?? '';
  }
  expect(await examine()).toMatchObject({ code: 0, state: 'ok', found: `1 note in ${backup}, 0 days old` });

  const old = getFreeBackupPath(database, backups, Date.now() - 4 * dayMs);
  renameSync(backup, old);
  expect(await examine()).toMatchObject({
    code: 0,
    state: 'warning',
    found: `1 note in ${old}, 4 days old`,
    remedy: expect.stringContaining('"notes backup" makes one now'),
  });
  const manual = (await runNotesCommand(['backup'], { XDG_DATA_HOME: home.path })).stdout.trim();
  expect(await examine()).toMatchObject({ code: 0, state: 'ok', found: `1 note in ${manual}, 0 days old` });
  rmSync(manual);

  truncateSync(old, 8192);
  expect(await examine()).toMatchObject({
    code: 1,
    state: 'fault',
    found: expect.stringContaining('the newest cannot be opened'),
    remedy: expect.stringContaining('Remove it'),
  });
});
