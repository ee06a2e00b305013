import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { waitsForMs } from '../../../../test/support/eventually.ts';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { openFile } from '../../../../test/support/stores/open-file.ts';
import { runDoctorChecks as examineAll } from './doctor-checks.ts';

let folder: ReturnType<typeof createTemporaryFolder>;
let database: string;
beforeEach(async () => {
  folder = createTemporaryFolder();
  database = join(folder.path, 'notes.db');
  await using store = await openFile(database);
  for (let n = 0; n < 20; n++) await store.create(createDraft({ content: 'text '.repeat(1_000) }));
});
afterEach(() => folder[Symbol.dispose]());

/** Findings by name. */
async function examine(path = database, isFull = false, backupDir = 'off') {
  const checks = await examineAll({ PORT: '0', BACKUP_DIR: backupDir }, { db: path, full: isFull }, waitsForMs);
  return new Map(checks.map((check) => [check.name, check]));
}

function change(statement: string): void {
  using db = new Database(database);
  db.run(statement);
}

test.each([false, true])('a healthy file has no findings; in full: %p', async (isFull) => {
  const found = await examine(database, isFull);

  expect([...found.values()].filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(found.get('integrity')?.found).toStartWith('20 notes in');
  expect(found.get('integrity')?.found).toEndWith(isFull ? 'sound' : '(--full compares the indexes too)');
});

test.each<[fault: string, check: string, found: string, damage: () => void]>([
  ['damage', 'integrity', 'damaged', () => truncateSync(database, statSync(database).size - 8192)],
  ['a database of another program', 'integrity', 'another program', makeForeign],
  ['a newer schema', 'integrity', 'newer version of Notes', () => change('PRAGMA user_version = 99')],
  ['a second name', 'permissions', 'hard link', () => linkSync(database, join(folder.path, 'second.db'))],
  ['a log without its database', 'integrity', 'is empty or gone, although notes were kept in it', leaveOnlyLog],
])('%s is a fault with a remedy', async (_, name, found, damage) => {
  damage();

  const check = (await examine()).get(name);

  expect(check).toMatchObject({ state: 'fault', found: expect.stringContaining(found), remedy: expect.any(String) });
});

function remove(path: string): string {
  rmSync(path);
  return path;
}

function makeForeign(): void {
  remove(database);
  change('CREATE TABLE accounts (id INTEGER)');
}

function leaveOnlyLog(): void {
  remove(database);
  writeFileSync(`${database}-wal`, 'log');
}

test.each(['', '-wal', '.lock'])('permissions for others on notes.db%s are a warning', async (suffix) => {
  appendFileSync(database + suffix, '');
  chmodSync(database + suffix, 0o644);

  expect((await examine()).get('permissions')).toMatchObject({
    state: 'warning',
    remedy: `chmod 600 ${database}${suffix}`,
  });
});

test.each([
  ['', 'Automatic backups are off'],
  ['/nowhere/at/all', 'there is no folder /nowhere/at'],
])('a file without backups and with BACKUP_DIR "%s" is a warning', async (backupDir, remedy) => {
  const found = await examine(database, false, backupDir);

  expect(found.get('backup')).toMatchObject({ state: 'warning', remedy: expect.stringContaining(remedy) });
});

test('a missing file in a missing folder is none yet, and neither is created', async () => {
  const found = await examine(join(folder.path, 'nowhere', 'notes.db'));

  expect(found.get('integrity')).toMatchObject({ state: 'ok', found: expect.stringContaining('no notes yet') });
  expect(found.get('folder')).toMatchObject({ state: 'ok', found: expect.stringContaining('at the first start') });
  expect(readdirSync(folder.path)).not.toContain('nowhere');
});
