/** Which files are opened, which are refused and left as they are. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createDraft } from '../../test/support/sample-notes.ts';
import { createTemporaryFolder } from '../../test/support/service.ts';
import { openSqlite, type SqliteOptions } from './open-sqlite.ts';
import { copyAndMigrateSqlite } from './sqlite/migrate-sqlite.ts';
import { lockRecoverAndMigrateDatabase } from './sqlite/open-sqlite-database.ts';
import { readNumericPragmaOrZero } from './sqlite/schema-checks.ts';
import { migrations } from './sqlite/sqlite-migrations.ts';

/** Opens and closes a store. Returns why it was refused, with its code. */
async function catchOpenError(options: SqliteOptions): Promise<string> {
  try {
    await using _store = await openSqlite(options);
    return 'no error';
  } catch (error) {
    return error instanceof Error && 'code' in error ? `${error.code}: ${error.message}` : String(error);
  }
}

/** Creates a file with `count` notes and closes it. */
async function fileWithNotes(folder: string, count = 1): Promise<string> {
  const path = join(folder, 'notes.db');
  await using store = await openSqlite({ path });
  await Promise.all(Array.from({ length: count }, () => store.create(createDraft())));
  return path;
}

/** Creates a file of an earlier schema with two notes. */
function fileAtStep(path: string, step: number): void {
  using db = new Database(path);
  copyAndMigrateSqlite(db, path, migrations.slice(0, step));
  db.run(`INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
    VALUES ('a', 'b', 'css', 'first', 'info', 1, 2), ('c', 'd', 'prompts', 'fifth', 'error', 1, 2)`);
}

const readFileMode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The files of a folder and what they hold. */
const readFolderFiles = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.endsWith('.lock') && statSync(join(folder, name)).isFile())
      .map((name) => [name, Bun.hash(readFileSync(join(folder, name)))]),
  );

test('a new store is for its owner only, also the folders that it makes, and is named by its real path', async () => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'a', 'b', 'notes.db');

  await using store = await openSqlite({ path });
  await store.create(createDraft());

  expect(['a', 'a/b'].map((name) => readFileMode(join(folder.path, name)))).toEqual(['700', '700']);
  expect(['', '-wal', '-shm', '.lock'].map((suffix) => readFileMode(path + suffix))).toEqual(Array(4).fill('600'));
  expect(store.location).toBe(`sqlite:${path}`);
});

test('notes are there when it is opened again, and no id is assigned twice', async () => {
  using folder = createTemporaryFolder();
  const path = await fileWithNotes(folder.path, 3);
  using db = new Database(path);
  db.run('DELETE FROM notes WHERE id = 3');

  await using store = await openSqlite({ path });

  expect((await store.list()).map(({ id }) => id)).toEqual([1, 2]);
  expect((await store.create(createDraft())).id).toBe(4);
});

test('a store in memory leaves no files', async () => {
  const folders = () => readdirSync('/dev/shm').filter((name) => name.startsWith(`notes-memory-${process.pid}-`));
  const before = folders();
  const store = await openSqlite({ path: ':memory:' });
  await store.create(createDraft());
  const made = folders().filter((name) => !before.includes(name));

  await store[Symbol.asyncDispose]();

  expect([store.location, made.length]).toEqual(['sqlite::memory:', 1]);
  expect(folders()).not.toContain(made[0]);
});

test.each([
  ['service', 1, process.platform === 'darwin' ? 2 : 1, 0],
  ['command', 1, 2, 1_000],
] as const)('the connection of a %s writes to a log, durably', (user, full, synchronous, autocheckpoint) => {
  using folder = createTemporaryFolder();
  const { db, isSyncedByCommit, resources } = lockRecoverAndMigrateDatabase({
    path: join(folder.path, 'notes.db'),
    openedBy: user,
  });
  using _ = resources;

  const names = ['fullfsync', 'checkpoint_fullfsync', 'synchronous', 'wal_autocheckpoint'];
  expect(names.map((name) => readNumericPragmaOrZero(db, name))).toEqual([full, full, synchronous, autocheckpoint]);
  expect(db.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
  expect(isSyncedByCommit).toBe(synchronous === 2);
});

test('a file in use by a service is refused to another one, under any name; commands may use it', async () => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  const first = await openSqlite({ path });
  symlinkSync(path, join(folder.path, 'link.db'));

  const sentence = `${path} is in use by a notes service. Stop it first`;
  const link = join(folder.path, 'link.db');
  expect(await catchOpenError({ path })).toBe(`busy: ${sentence}`);
  expect(await catchOpenError({ path: link })).toBe(`busy: Cannot use ${link}: ${sentence}`);
  expect(await catchOpenError({ path, openedBy: 'command' })).toBe('no error');
  await first[Symbol.asyncDispose]();
  expect(await catchOpenError({ path })).toBe('no error');
});

const overwrite = (path: string, start: number, length: number) =>
  writeFileSync(path, readFileSync(path).fill(0xa5, start, start + length));

function foreign(path: string): void {
  truncateSync(path);
  using db = new Database(path);
  db.run('CREATE TABLE bookmarks (url TEXT)');
}

function newer(path: string): void {
  using db = new Database(path);
  db.run('PRAGMA user_version = 99');
}

/** Leaves only the log, as an interrupted copy of the files may. */
function emptiedWithLog(path: string): void {
  using db = new Database(path);
  db.run("UPDATE notes SET title = 'In the log'");
  copyFileSync(`${path}-wal`, `${path}.kept`);
  db.close(true);
  copyFileSync(`${path}.kept`, `${path}-wal`);
  truncateSync(path);
}

const nameAnotherFile = 'Name another file by --db or DATABASE_URL';

describe.each(['service', 'command'] as const)('a file is refused to a %s, and left as it is,', (user) => {
  test.each<[string, (path: string) => void, RegExp]>([
    ['that is no database', (path) => writeFileSync(path, 'x'.repeat(10_000)), /not a SQLite database. Name another/],
    ['with a bad header', (path) => overwrite(path, 0, 16), /not a SQLite database. Name another/],
    ['of another program', foreign, /is a database of another program. Name another/],
    [
      'of a newer version',
      newer,
      /was written by a newer version of Notes \(schema 99, this one knows \d\). Update Notes/,
    ],
    [
      'that is empty beside a log with notes',
      emptiedWithLog,
      /is empty, but its log holds notes. If the file was moved, put it back; else restore a backup/,
    ],
    ['with a second name', (path) => linkSync(path, `${path}.hard`), /the file has a second name \(a hard link\)/],
  ])('%s', async (_, damage, reason) => {
    using folder = createTemporaryFolder();
    const path = await fileWithNotes(folder.path, 100);
    damage(path);
    const before = readFolderFiles(folder.path);

    const refusal = await catchOpenError({ path, openedBy: user });

    expect(refusal).toMatch(reason);
    expect(refusal).toStartWith('unavailable: ');
    expect(readFolderFiles(folder.path)).toEqual(before);
  });

  test.each([
    ['a folder', 'folder', `it is a folder. ${nameAnotherFile}`],
    ['below a file', 'file/notes.db', `a part of its path is not a folder. ${nameAnotherFile}`],
  ])('whose path is %s', async (_, name, reason) => {
    using folder = createTemporaryFolder();
    writeFileSync(join(folder.path, 'file'), '');
    mkdirSync(join(folder.path, 'folder'));
    const before = readdirSync(folder.path);
    const path = join(folder.path, name);

    expect(await catchOpenError({ path, openedBy: user })).toBe(`unavailable: Cannot use ${path}: ${reason}`);

    expect(readdirSync(folder.path)).toEqual(before);
  });
});

test('a service refuses a file with a bad page, and leaves it as it is', async () => {
  using folder = createTemporaryFolder();
  const path = await fileWithNotes(folder.path, 100);
  overwrite(path, 4096, 4096);
  const before = readFolderFiles(folder.path);

  expect(await catchOpenError({ path })).toMatch(/^unavailable: Cannot use .*: it is damaged \(.*\). Restore a backup/);

  expect(readFolderFiles(folder.path)).toEqual(before);
});

/** Leaves a database and its journal as a program that was killed in its first transaction does. */
function killedWithin(folder: string, path: string): void {
  using killed = new Database(join(folder, 'killed.db'));
  killed.run('PRAGMA cache_size = 1'); // the rest goes to the file
  killed.run('BEGIN');
  killed.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT)');
  killed.run(`WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT 999)
    INSERT INTO notes SELECT id, hex(zeroblob(999)) FROM ids`);
  for (const suffix of ['', '-journal']) copyFileSync(`${killed.filename}${suffix}`, `${path}${suffix}`);
}

test.each(['service', 'command'] as const)('a first start that was killed is rolled back for a %s', async (user) => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  killedWithin(folder.path, path);

  await using store = await openSqlite({ path, openedBy: user });

  expect((await store.create(createDraft())).id).toBe(1);
});

describe('migrations', () => {
  const newest = migrations.length;

  test.each(['service', 'command'] as const)('run for a %s after a copy for its owner', async (user) => {
    using folder = createTemporaryFolder();
    const path = join(folder.path, 'notes.db');
    fileAtStep(path, 1);
    const copies: string[] = [];

    expect(await catchOpenError({ path, openedBy: user, onCopied: (copy) => copies.push(copy) })).toBe('no error');

    expect(copies.map(readFileMode)).toEqual(['600']);
    using copy = new Database(copies[0] ?? '', { readonly: true });
    expect(copy.prepare('SELECT count(*) AS notes FROM notes').all()).toEqual([{ notes: 2 }]);
    expect(readNumericPragmaOrZero(copy, 'user_version')).toBe(1);
  });

  test.each(migrations.map((_, index) => index + 1))('keep the notes of a file at step %d', async (step) => {
    using folder = createTemporaryFolder();
    const path = join(folder.path, 'notes.db');
    fileAtStep(path, step);

    await using store = await openSqlite({ path });

    await store.assertReadableAndWritable();
    expect((await store.list({ category: 'css' })).map(({ id }) => id)).toEqual([1]);
    expect((await store.create(createDraft())).id).toBe(3);
    await store.update(1, { title: 'Changed' });
    expect(await Array.fromAsync(store.history(1))).toMatchObject([[{ id: 1, title: 'a', content: 'b' }]]);
    using db = new Database(path, { readonly: true });
    expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(readdirSync(folder.path).filter((name) => name.includes('.schema-'))).toHaveLength(step < newest ? 1 : 0);
  });

  test('leave the file at the last good step when one fails', async () => {
    using folder = createTemporaryFolder();
    using db = new Database(await fileWithNotes(folder.path));

    const steps = [...migrations, 'ALTER TABLE notes ADD COLUMN extra TEXT', 'ALTER TABLE nowhere ADD x'];
    expect(() => copyAndMigrateSqlite(db, db.filename, steps)).toThrow('nowhere');

    expect(readNumericPragmaOrZero(db, 'user_version')).toBe(newest + 1);
    expect(db.prepare('SELECT count(*) AS notes FROM notes').all()).toEqual([{ notes: 1 }]);
  });
});
