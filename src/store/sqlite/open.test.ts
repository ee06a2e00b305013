import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { draft, temporaryFolder } from '../../../test/support/service.ts';
import { notesOf } from '../../../test/support/stores/json-list.ts';
import { openDatabase } from './file/database.ts';
import { migrate, pragma } from './migrate.ts';
import { openSqlite, type SqliteOptions } from './open.ts';
import { migrations } from './schema.ts';

const refusalOf = async (options: SqliteOptions) => {
  try {
    await using _store = await openSqlite(options);
    return 'no error';
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
};

/** Creates a file with `count` notes and closes it. */
async function fileWithNotes(folder: string, count: number): Promise<string> {
  const path = join(folder, 'notes.db');
  await using store = await openSqlite({ path });
  await Promise.all(Array.from({ length: count }, () => store.create(draft())));
  return path;
}

/** Commits of other programs are visible after at most this many ms. */
const noticedMs = 10;

describe('openSqlite', () => {
  test('rolls back a first start that was killed', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    using killed = new Database(join(folder.path, 'killed.db'));
    killed.run('PRAGMA cache_size = 1'); // the rest goes to the file before it is committed
    killed.run('BEGIN');
    killed.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT)');
    killed.run(
      `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT 999) INSERT INTO notes SELECT id, hex(zeroblob(999)) FROM ids`,
    );
    for (const suffix of ['', '-journal']) copyFileSync(`${killed.filename}${suffix}`, `${path}${suffix}`);

    await using store = await openSqlite({ path });

    expect((await store.create(draft())).id).toBe(1);
  });

  test('keeps notes after it is reopened, and never assigns an id twice', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 3);

    await using store = await openSqlite({ path });

    expect((await store.list()).map((note) => note.id)).toEqual([1, 2, 3]);
    expect((await store.create(draft())).id).toBe(4);
    expect((await store.stats()).notes).toBe(4);
  });

  test('makes missing folders, and a file that only its owner may read', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'a', 'b', 'notes.db');

    await using _store = await openSqlite({ path });

    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(folder.path, 'a')).mode & 0o777).toString(8)).toBe('700');
  });

  test.each([
    ['removes the log of an earlier version that holds nothing', Buffer.alloc(20), 'no error'],
    ['refuses one that holds notes', Buffer.from([9, 0, 0, 0, 1]), 'holds notes of an earlier version'],
  ])('%s', async (_, log, expected) => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 1);
    writeFileSync(`${path}-redo`, log);

    expect(await refusalOf({ path })).toContain(expected);

    expect(existsSync(`${path}-redo`)).toBe(expected !== 'no error');
  });

  test('writes through a log that is synced at every commit, into a strict table', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 1);
    using db = new Database(path);

    expect(db.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
    expect(db.prepare("SELECT strict FROM pragma_table_list WHERE name = 'notes'").all()).toEqual([{ strict: 1 }]);
    for (const [column, value] of Object.entries({ title: '', content: '', category: 'x', color: 'x', archived: 2 })) {
      expect(() => db.run(`UPDATE notes SET "${column}" = ?`, [value])).toThrow('CHECK constraint failed');
    }
  });

  test('removes its files in memory, and those of killed processes', async () => {
    const killed = 2 ** 22; // above all ids of processes
    mkdirSync(`/dev/shm/notes-memory-${killed}-left`);
    const foldersOf = (pid: number) =>
      readdirSync('/dev/shm').filter((name) => name.startsWith(`notes-memory-${pid}-`));
    const before = foldersOf(process.pid);
    const store = await openSqlite({ path: ':memory:' });
    expect(store.location).toBe('sqlite::memory:');
    await store.create(draft());
    expect(foldersOf(process.pid)).toHaveLength(before.length + 1);

    await store[Symbol.asyncDispose]();

    expect(foldersOf(process.pid)).toEqual(before);
    expect(foldersOf(killed)).toEqual([]);
  });

  test('refuses a file that another store has open, under any name, until that one is closed', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    const first = await openSqlite({ path });
    symlinkSync(path, join(folder.path, 'link.db'));

    expect(await refusalOf({ path })).toContain('is in use by another notes service');
    expect(await refusalOf({ path: join(folder.path, 'link.db') })).toContain('is in use by another notes service');
    await first[Symbol.asyncDispose]();
    expect(await refusalOf({ path })).toBe('no error');
  });

  test('refuses a file with a hard link: each name would have a log of its own', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 1);
    linkSync(path, join(folder.path, 'hard.db'));

    expect(await refusalOf({ path })).toContain('has a second name');
    expect(await refusalOf({ path: join(folder.path, 'hard.db') })).toContain('has a second name');
  });

  test.each<[string, (path: string) => void, string]>([
    ['is no database', (path) => writeFileSync(path, 'x'.repeat(10_000)), 'its first bytes are overwritten'],
    ['has a bad header', (path) => overwrite(path, 0, 16), 'its first bytes are overwritten'],
    ['has a bad page', (path) => overwrite(path, 4096, 4096), 'it is damaged'],
    ['is of another program', foreign, 'is a database of another program'],
    [
      'is of a newer version',
      newer,
      `was written by a newer version of Notes (schema 99, this one knows ${migrations.length})`,
    ],
  ])('refuses a file that %s, and leaves it as it is', async (_, damage, reason) => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 100);
    damage(path);
    const before = readFileSync(path);

    expect(await refusalOf({ path })).toContain(reason);

    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each<[string, (path: string) => void, string]>([
    ['no database', (path) => writeFileSync(path, 'x'.repeat(10_000)), 'it is not a SQLite database'],
    ['a byte', (path) => writeFileSync(path, 'x'), 'it is not a SQLite database'],
    ['a short text', (path) => writeFileSync(path, 'text'), 'it is not a SQLite database'],
    ['of another program', foreign, 'is a database of another program'],
    ['of another program that keeps a log', foreignWithLog, 'is a database of another program'],
  ])('leaves nothing beside a file that is %s', async (_, put, reason) => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'theirs.db');
    put(path);

    expect(await refusalOf({ path })).toContain(reason);

    expect(readdirSync(folder.path)).toEqual(['theirs.db']);
  });

  test('reports a file that is briefly locked as busy, so that callers may retry', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    using other = new Database(path);
    other.run('BEGIN EXCLUSIVE');

    const refused = await openSqlite({ path }).catch((error) => error);

    expect(refused).toMatchObject({ code: 'busy', message: expect.stringContaining('another program has locked it') });
    other.run('ROLLBACK');
    await (await openSqlite({ path }))[Symbol.asyncDispose]();
  });

  test.each([
    ['a folder', 'folder', 'it is a folder'],
    ['below a file', 'file/notes.db', 'is not a folder. Name another file by --db or DATABASE_URL'],
    ['too long', 'n'.repeat(300), 'its name is too long. Name another file by --db or DATABASE_URL'],
    ['a link to a device', 'device', 'it is a pipe or a device'],
  ])('refuses a path that is %s, and leaves nothing there', async (_, name, reason) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'file'), '');
    mkdirSync(join(folder.path, 'folder'));
    symlinkSync('/dev/null', join(folder.path, 'device'));
    const before = readdirSync(folder.path);

    expect(await refusalOf({ path: join(folder.path, name) })).toContain(reason);

    expect(readdirSync(folder.path)).toEqual(before);
    expect(existsSync('/dev/null.lock')).toBe(false);
  });

  test.each<[string, (path: string) => void]>([
    ['deleted', (path) => rmSync(path)],
    ['replaced', (path) => renameSync(path, `${path}.old`)],
    ['robbed of its log', (path) => rmSync(`${path}-wal`)],
  ])('acknowledges nothing once its file was %s, and says so once', async (_, remove) => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    const lost: unknown[] = [];
    await using store = await openSqlite({ path, onLost: (error) => lost.push(error) });
    await store.create(draft());
    remove(path);

    const [first] = await Promise.allSettled([store.create(draft())]);
    const results = [first, ...(await Promise.allSettled([store.check(), store.create(draft())]))];

    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
      Array(3).fill('unavailable'),
    );
    expect(lost).toHaveLength(1);
    expect(String(lost[0])).toContain('was deleted or replaced');
  });

  test('waits for another program that holds the write lock, without blocking reads', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 1);
    await using store = await openSqlite({ path });
    using other = new Database(path);
    other.run('BEGIN IMMEDIATE');

    const write = store.create(draft());
    const meanwhile = await store.list();
    other.run('COMMIT');

    expect(meanwhile).toHaveLength(1);
    expect((await write).id).toBe(2);
  });

  test('shows what another program commits, under a new revision', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 1);
    await using store = await openSqlite({ path });
    using other = new Database(path);
    const before = await store.listJson({});

    other.run("UPDATE notes SET title = 'Theirs'");
    await Bun.sleep(noticedMs);

    const after = await store.listJson({}, [before.revision]);
    expect((await notesOf(after))[0]?.title).toBe('Theirs');
    expect((await store.listJson({}, [after.revision])).kind).toBe('unchanged');
  });
});

describe('the entity tags of lists', () => {
  test('are kept by writes to other notes, and change when another program writes', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 2);
    await using store = await openSqlite({ path });
    using other = new Database(path);
    const revisionOf = async () => (await store.listJson({ category: 'css' })).revision;
    await store.create(draft({ category: 'css' }));
    const first = await revisionOf();

    for (let n = 0; n < 5; n++) await Promise.all([store.create(draft()), store.update(1, { title: `${n}` })]);
    await store.update(999, {}).catch(() => {});
    expect(await revisionOf()).toBe(first);

    other.run("UPDATE notes SET title = 'Theirs'");
    await Bun.sleep(noticedMs);
    const second = await revisionOf();
    expect(second).not.toBe(first);
    expect(await revisionOf()).toBe(second);
  });

  test('are equal for equal notes, also without a cache and after a restart', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 2);
    const revisions = new Set<string>();
    for (const cacheBytes of [0, 1024 * 1024]) {
      await using store = await openSqlite({ path, cacheBytes });
      for (const filter of [{}, { archived: false }]) revisions.add((await store.listJson(filter)).revision);
    }

    expect(revisions.size).toBe(1);
    await using store = await openSqlite({ path });
    await store.update(1, {});
    expect(revisions).not.toContain((await store.listJson({})).revision);
  });

  test('change when another program commits at the same time', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 1);
    await using store = await openSqlite({ path });
    using other = new Database(path);
    await store.listJson({ category: 'notes' });

    const ours = store.create(draft({ category: 'css' }));
    other.run("UPDATE notes SET title = 'Theirs'");
    await ours;
    await Bun.sleep(noticedMs);

    expect((await store.list({ category: 'notes' }))[0]?.title).toBe('Theirs');
  });
});

describe('migrations', () => {
  const further = 'ALTER TABLE notes ADD COLUMN extra TEXT';
  const migrated = (path: string, copies: string[]) =>
    openSqlite({ path, steps: [...migrations, further], onCopied: (copy) => copies.push(copy) });

  test('run in order, after a copy of the file was made beside it', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 2);
    const copies: string[] = [];

    await using _store = await migrated(path, copies);

    using db = new Database(path);
    expect(db.prepare('PRAGMA user_version').all()).toEqual([{ user_version: migrations.length + 1 }]);
    expect(db.prepare('SELECT extra FROM notes').all()).toHaveLength(2);
    expect(copies).toHaveLength(1);
    using copy = new Database(copies[0] ?? '', { readonly: true });
    expect(copy.prepare('SELECT count(*) AS notes FROM notes').all()).toEqual([{ notes: 2 }]);
    expect(copy.prepare('PRAGMA user_version').all()).toEqual([{ user_version: migrations.length }]);
  });

  test('start after the copy, which only its owner may read', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 2);
    const copies: string[] = [];

    await using _store = await migrated(path, copies);

    expect(copies.map((copy) => (statSync(copy).mode & 0o777).toString(8))).toEqual(['600']);
  });

  test.each(migrations.map((_, index) => index + 1))(
    'keep the notes and the index of a file at step %d',
    async (step) => {
      using folder = temporaryFolder();
      const path = join(folder.path, 'notes.db');
      {
        using earlier = new Database(path);
        migrate(earlier, path, migrations.slice(0, step));
        earlier.run(`INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
          VALUES ('a', 'b', 'css', 'first', 'info', 1, 2), ('c', 'd', 'prompts', 'fifth', 'error', 1, 2)`);
      }

      await using store = await openSqlite({ path });

      await store.check();
      expect((await store.list({ category: 'css' })).map(({ id }) => id)).toEqual([1]);
      expect((await store.create(draft())).id).toBe(3);
      await store.update(1, { title: 'Changed' });
      expect(await Array.fromAsync(store.history(1))).toMatchObject([[{ id: 1, title: 'a', content: 'b' }]]);
      using db = new Database(path, { readonly: true });
      expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    },
  );

  test('make no copy of a new file, nor of one that is up to date', async () => {
    using folder = temporaryFolder();
    const copies: string[] = [];
    const path = await fileWithNotes(folder.path, 1);

    await using _store = await openSqlite({ path, onCopied: (copy) => copies.push(copy) });

    expect(copies).toEqual([]);
    expect(readdirSync(folder.path).filter((name) => name.includes('schema'))).toEqual([]);
  });

  test('leave the file at the last good step when one fails', async () => {
    using folder = temporaryFolder();
    const path = await fileWithNotes(folder.path, 1);

    expect(await refusalOf({ path, steps: [...migrations, further, 'ALTER TABLE nowhere ADD x'] })).toContain(
      'nowhere',
    );

    using db = new Database(path);
    expect(db.prepare('PRAGMA user_version').all()).toEqual([{ user_version: migrations.length + 1 }]);
    expect(db.prepare('SELECT count(*) AS notes FROM notes').all()).toEqual([{ notes: 1 }]);
  });
});

function overwrite(path: string, start: number, length: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, start, start + length);
  writeFileSync(path, bytes);
}

function foreign(path: string): void {
  rmSync(path, { force: true });
  using db = new Database(path);
  db.run('CREATE TABLE bookmarks (url TEXT)');
}

function foreignWithLog(path: string): void {
  foreign(path);
  using db = new Database(path);
  db.run('PRAGMA journal_mode = WAL');
}

function newer(path: string): void {
  using db = new Database(path);
  db.run('PRAGMA user_version = 99');
}

test('a commit and a checkpoint reach the disk before they return, on macOS too', () => {
  using folder = temporaryFolder();
  const { db, resources } = openDatabase({ path: join(folder.path, 'notes.db'), isChecked: false });
  using _ = resources;

  const settings = ['synchronous', 'fullfsync', 'checkpoint_fullfsync'].map((name) => pragma(db, name));

  expect(settings).toEqual([2, 1, 1]);
});
