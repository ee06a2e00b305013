import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../../test/support/service.ts';
import { openSqlite } from '../open.ts';
import {
  type AutomaticBackups,
  automaticBackupsIn,
  isDue,
  makeAutomatic,
  newestOf,
  removeExpired,
} from './automatic.ts';
import { automaticName } from './backup-names.ts';
import { dayMs } from './retention.ts';

const now = Date.parse('2026-11-22T10:15:00Z');
const signal = new AbortController().signal;

let folder: ReturnType<typeof temporaryFolder>;
let plan: AutomaticBackups;
beforeEach(async () => {
  folder = temporaryFolder();
  const database = join(folder.path, 'notes.db');
  plan = { database, folder: join(folder.path, 'backups'), keep: { daily: 2, weekly: 0, maxBytes: 2 ** 30 } };
  await using store = await openSqlite({ path: database });
  await store.create(draft());
});
afterEach(() => folder[Symbol.dispose]());

const names = () => readdirSync(plan.folder).sort();
const nameAt = (at: number) => automaticName(plan.database, at);

/** Creates a file that looks like a backup begun at that time. */
function lay(at: number, content = 'old'): string {
  mkdirSync(plan.folder, { recursive: true });
  const path = join(plan.folder, nameAt(at));
  writeFileSync(path, content);
  return path;
}

test('makes the folder and a backup in it, for their owner only', async () => {
  const { path, notes } = await makeAutomatic(plan, now, signal);

  expect([path, notes]).toEqual([join(plan.folder, 'notes-2026-11-22T10-15-00Z.db'), 1]);
  expect([plan.folder, path].map((made) => statSync(made).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(names()).toEqual([nameAt(now)]);
});

test('removes what has expired, and nothing else', async () => {
  const others = ['notes-20200101T000000Z.db', 'work-2020-01-01T00-00-00Z.db', 'mine.txt', '.notes-abc'];
  for (const day of [1, 2, 3]) lay(now - day * dayMs);
  for (const name of others) writeFileSync(join(plan.folder, name), 'mine');
  const link = join(plan.folder, nameAt(now - 9 * dayMs));
  symlinkSync(join(plan.folder, 'mine.txt'), link);

  await makeAutomatic(plan, now, signal);
  const removed = await removeExpired(plan, now);

  expect(removed.sort()).toEqual([3, 2].map((day) => join(plan.folder, nameAt(now - day * dayMs))));
  expect(names()).toEqual([...others, ...[0, 1, 9].map((day) => nameAt(now - day * dayMs))].sort());
});

test('a backup is due a day after the newest one that is not dated in the future', async () => {
  const newest = async () => newestOf(await automaticBackupsIn(plan.folder, plan.database), now);
  expect([await newest(), isDue(await newest(), now)]).toEqual([undefined, true]);

  lay(now + 365 * dayMs);
  expect(isDue(await newest(), now)).toBe(true);
  lay(now - dayMs);
  expect(isDue(await newest(), now)).toBe(true);
  lay(now - dayMs + 1_000);

  expect(isDue(await newest(), now)).toBe(false);
});

test('removes what a killed service has left', async () => {
  const left = join(plan.folder, '.notes-automatic-notes.db');
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'half.db'), 'half');

  await makeAutomatic(plan, now, signal);

  expect(names()).toEqual([nameAt(now)]);
});

test('does not follow a link planted in place of the copy', async () => {
  const victim = join(folder.path, 'victim');
  mkdirSync(victim);
  writeFileSync(join(victim, 'file'), 'mine');
  mkdirSync(plan.folder);
  symlinkSync(victim, join(plan.folder, '.notes-automatic-notes.db'));
  symlinkSync(join(victim, 'nowhere'), join(plan.folder, nameAt(now)));

  await makeAutomatic(plan, now, signal);

  expect([readdirSync(victim), readFileSync(join(victim, 'file'), 'utf8')]).toEqual([['file'], 'mine']);
  expect((await automaticBackupsIn(plan.folder, plan.database)).map(({ at }) => at)).toEqual([now]);
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
  [
    'in a file',
    '(ENOTDIR)',
    () => {
      writeFileSync(join(folder.path, 'file'), '');
      return { folder: join(folder.path, 'file') };
    },
  ],
])('a backup that is %s fails and keeps the older ones', async (_, reason, damage) => {
  const older = [1, 2, 3].map((day) => lay(now - day * dayMs));

  const failed = makeAutomatic({ ...plan, ...damage() }, now, signal);

  await expect(failed).rejects.toThrow(reason);
  expect(names()).toEqual([3, 2, 1].map((day) => nameAt(now - day * dayMs)));
  expect(older.every(existsSync)).toBe(true);
});
