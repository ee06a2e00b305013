import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test';
import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { openSqlite } from '../../open-sqlite.ts';
import { type AutomaticBackups, backUpAndDeleteExpiredIfDue } from './automatic-backups.ts';
import { getFreeBackupPath } from './backup-names.ts';
import { dayMs } from './backup-retention.ts';

const now = Date.parse('2026-11-22T10:15:00Z');

let folder: ReturnType<typeof createTemporaryFolder>;
let plan: AutomaticBackups;
beforeEach(async () => {
  setSystemTime(now);
  folder = createTemporaryFolder();
  const database = join(folder.path, 'notes.db');
  plan = { database, folder: join(folder.path, 'backups'), keep: { daily: 2, weekly: 0, maxBytes: 2 ** 30 } };
  await using store = await openSqlite({ path: database });
  await store.create(createDraft());
});
afterEach(() => {
  setSystemTime();
  folder[Symbol.dispose]();
});

const names = () => readdirSync(plan.folder).sort();

/** Creates a file that is named as a backup begun at that time. */
function lay(at: number): string {
  mkdirSync(plan.folder, { recursive: true });
  const path = getFreeBackupPath(plan.database, plan.folder, at);
  writeFileSync(path, 'old');
  return path;
}

/** Checks once, and returns the paths made and removed, and the last time reported of the newest. */
async function check(changes: Partial<AutomaticBackups> = {}) {
  const seen: { made?: string; removed?: readonly string[]; newest?: number | undefined } = {};
  await backUpAndDeleteExpiredIfDue({ ...plan, ...changes }, new AbortController().signal, {
    onNewest: (at) => (seen.newest = at),
    onMade: ({ path }) => (seen.made = path),
    onRemoved: (paths) => (seen.removed = paths),
  });
  return seen;
}

test('makes the folder and a backup in it, for their owner only', async () => {
  const { made = '', newest } = await check();

  expect([made, newest]).toEqual([join(plan.folder, 'notes-2026-11-22T10-15-00Z.db'), now]);
  expect([plan.folder, made].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(names()).toEqual(['notes-2026-11-22T10-15-00Z.db']);
});

test('removes backups that have expired, also those by hand, and nothing else', async () => {
  const others = ['notes-20200101T000000Z.db', 'work-2020-01-01T00-00-00Z.db', 'mine.txt', '.notes-abc'];
  const [first, second, third] = [3, 2, 2, 1].map((day) => lay(now - day * dayMs));
  for (const name of others) writeFileSync(join(plan.folder, name), 'mine');

  const { removed } = await check();

  expect(removed?.toSorted()).toEqual([first, second, third].map(String).toSorted());
  expect(names()).toEqual([...others, 'notes-2026-11-21T10-15-00Z.db', 'notes-2026-11-22T10-15-00Z.db'].sort());
});

test('a backup is due a day after the newest one that is not dated in the future', async () => {
  lay(now + 365 * dayMs);
  lay(now - dayMs + 1_000);
  expect(await check()).toEqual({ newest: now - dayMs + 1_000 });

  setSystemTime(now + 1_000);

  expect((await check()).made).toBe(join(plan.folder, 'notes-2026-11-22T10-15-01Z.db'));
});

test.each<[why: string, reason: string, damage: () => Partial<AutomaticBackups>]>([
  [
    'too large',
    'all of them may take 1 MiB. Raise the size in BACKUP_KEEP',
    () => {
      truncateSync(plan.database, 2 * 2 ** 20);
      return { keep: { ...plan.keep, maxBytes: 2 ** 20 } };
    },
  ],
  [
    'damaged',
    'damaged',
    () => {
      truncateSync(plan.database, statSync(plan.database).size - 4096);
      return {};
    },
  ],
  [
    'nowhere',
    '(ENOENT). Let the user that runs the service write to it',
    () => ({ folder: join(folder.path, 'a', 'b') }),
  ],
])('a backup that is %s fails and keeps the older ones', async (_, reason, damage) => {
  for (const day of [1, 2, 3]) lay(now - day * dayMs);
  const before = names();

  await expect(check(damage())).rejects.toThrow(reason);

  expect(names()).toEqual(before);
});
