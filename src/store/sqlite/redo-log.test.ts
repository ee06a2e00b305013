import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../test/eventually.ts';
import { draft, temporaryFolder } from '../../../test/service.ts';
import type { Note } from '../../domain/note.ts';
import { openSqlite } from './open.ts';
import { RedoLog, redoPathOf } from './redo-log.ts';

const at = '2026-01-01T00:00:00.000Z';
const note = (id: number, content = 'Some content'): Note => ({
  ...draft({ content }),
  id,
  archived: false,
  createdAt: at,
  updatedAt: at,
});

describe('a redo log', () => {
  test('gives back the batches that were appended, in order, also to the next one who opens it', () => {
    using folder = temporaryFolder();
    const database = join(folder.path, 'notes.db');
    const batches = [[note(1), note(2, '❄ 𝄞 "\\ \n')], [note(3)]];
    using log = new RedoLog(database);
    for (const batch of batches) expect(log.append(batch)).toBe(true);

    using next = new RedoLog(database);

    expect([...log.batches()]).toEqual(batches);
    expect([...next.batches()]).toEqual(batches);
  });

  test('forgets what was cleared, and shows nothing of it behind shorter batches', () => {
    using folder = temporaryFolder();
    using log = new RedoLog(join(folder.path, 'notes.db'));
    for (let id = 1; id <= 3; id++) log.append([note(id, 'the same length')]);

    log.clear();
    expect([...log.batches()]).toEqual([]);
    log.append([note(9, 'the same length')]);

    expect([...log.batches()]).toEqual([[note(9, 'the same length')]]);
  });

  test('ends before a batch that did not reach the disk as a whole', () => {
    using folder = temporaryFolder();
    const database = join(folder.path, 'notes.db');
    using log = new RedoLog(database);
    for (let id = 1; id <= 3; id++) log.append([note(id)]);
    const bytes = readFileSync(redoPathOf(database));
    const third = bytes.indexOf('"id":3');

    for (const torn of [third - 15, third + 1, third + 100]) {
      const damaged = Buffer.from(bytes).fill(0xa5, torn, torn + 1);
      writeFileSync(redoPathOf(database), damaged);
      expect([...log.batches()]).toEqual([[note(1)], [note(2)]]);
    }
  });

  test('refuses a batch for which it has no room, and takes a smaller one', () => {
    using folder = temporaryFolder();
    using log = new RedoLog(join(folder.path, 'notes.db'));
    const large = note(1, 'ä'.repeat(1024 * 1024)); // three bytes are reckoned for each character

    expect(log.append([large])).toBe(true);
    expect(log.append([large])).toBe(false);
    expect(log.append([note(2)])).toBe(true);

    expect([...log.batches()].flat().map(({ id }) => id)).toEqual([1, 2]);
  });

  test('gives most of its file back to the disk and takes no batch until it has it again', () => {
    using folder = temporaryFolder();
    const database = join(folder.path, 'notes.db');
    using log = new RedoLog(database);
    log.append([note(1)]);
    const full = statSync(redoPathOf(database)).size;

    log.release();
    expect(statSync(redoPathOf(database)).size).toBe(0.4 * full);
    expect(log.append([note(2)])).toBe(false);
    log.refill();

    expect(log.append([note(3)])).toBe(true);
    expect(statSync(redoPathOf(database)).size).toBe(full);
    expect([...log.batches()]).toEqual([[note(1)], [note(3)]]);
  });
});

describe('a store with a redo log', () => {
  /** The files as a crash would leave them. */
  function crashed(path: string, to: string): string {
    const copy = join(to, 'crashed.db');
    for (const suffix of ['', '-wal', '-redo']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    return copy;
  }

  /** As another program sees them. */
  function notesIn(path: string): number {
    using db = new Database(path, { readonly: true });
    return db.prepare<{ notes: number }, []>('SELECT count(*) AS notes FROM notes').all()[0]?.notes ?? 0;
  }

  function run(path: string, sql: string): void {
    using db = new Database(path);
    db.run(sql);
  }

  test('has every acknowledged note after a crash, also those that SQLite had not committed', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using store = openSqlite({ path });
    await Promise.all(Array.from({ length: 10 }, (_, n) => store.create(draft({ title: `${n}` }))));
    await Promise.all([store.update(3, { content: 'changed' }), store.setArchived(4, true)]);
    const copy = crashed(path, folder.path);
    expect(notesIn(copy)).toBeLessThan(10); // a first batch of few is committed by SQLite at once

    await using recovered = openSqlite({ path: copy });

    const expected = await store.list();
    expect(expected.map(({ content, archived }) => ({ content, archived })).slice(2, 4)).toEqual([
      { content: 'changed', archived: false },
      { content: 'Some content', archived: true },
    ]);
    expect(await recovered.list()).toEqual(expected);
    expect((await recovered.stats()).notes).toBe(10);
    expect((await recovered.create(draft())).id).toBe(11);
  });

  test('does not undo what is newer in the database than in the log', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using store = openSqlite({ path });
    const [first] = await Promise.all(Array.from({ length: 10 }, () => store.create(draft({ title: 'Ours' }))));
    const copy = crashed(path, folder.path);
    const later = openSqlite({ path: copy });
    await later.update(1, { title: 'Newer' });
    await later[Symbol.asyncDispose]();
    copyFileSync(`${path}-redo`, `${copy}-redo`);

    await using recovered = openSqlite({ path: copy });

    const [after] = await recovered.list();
    expect(after?.title).toBe('Newer');
    expect(first && after && after.updatedAt > first.updatedAt).toBe(true);
  });

  test('refuses to start where another program has taken an id since the crash, and keeps the log', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using store = openSqlite({ path });
    await Promise.all(Array.from({ length: 10 }, () => store.create(draft())));
    const copy = crashed(path, folder.path);
    run(
      copy,
      `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
      VALUES ('Theirs', 'x', 'css', 'first', 'info', 9e12, 9e12)`,
    );

    for (let n = 0; n < 2; n++) expect(() => openSqlite({ path: copy })).toThrow('has stored a note under ID 1');
    run(copy, 'UPDATE notes SET id = 100');

    await using recovered = openSqlite({ path: copy });
    expect((await recovered.list()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100]);
  });

  test('keeps what another program has written and no client could', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using store = openSqlite({ path });
    await store.create(draft());
    run(path, "UPDATE notes SET title = 'a' || char(0) || 'b', updated_at = 1700000000000000");
    await Promise.all(Array.from({ length: 10 }, () => store.setArchived(1, true)));
    const copy = crashed(path, folder.path);

    await using recovered = openSqlite({ path: copy });

    expect(await recovered.list()).toEqual(await store.list());
    expect((await recovered.get(1)).archived).toBe(true);
  });

  test('commits what it acknowledged when only its log is lost, and ends', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    const lost = Promise.withResolvers<unknown>();
    const store = openSqlite({ path, onLost: lost.resolve });
    await Promise.all(Array.from({ length: 10 }, () => store.create(draft())));
    rmSync(redoPathOf(path));

    await expect(store.create(draft())).rejects.toThrow('may or may not have been stored');

    expect(String(await lost.promise)).toContain('notes.db-redo was deleted');
    await store[Symbol.asyncDispose]();
    expect(notesIn(path)).toBeGreaterThanOrEqual(10);
  });

  test('shows other programs a few notes at once, and many within a moment', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using store = openSqlite({ path });

    await store.create(draft());
    expect(notesIn(path)).toBe(1);
    await Promise.all(Array.from({ length: 10 }, () => store.create(draft())));
    expect(notesIn(path)).toBe(1);

    expect(await eventually(() => notesIn(path) === 11)).toBe(true);
  });

  test('removes its log when it is closed, and not before', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    const store = openSqlite({ path });
    await Promise.all(Array.from({ length: 10 }, () => store.create(draft())));
    expect(existsSync(redoPathOf(path))).toBe(true);

    await store[Symbol.asyncDispose]();

    expect(existsSync(redoPathOf(path))).toBe(false);
    expect(notesIn(path)).toBe(10);
  });

  test('refuses a new file beside the log of another one, and leaves that log as it is', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using store = openSqlite({ path });
    await Promise.all(Array.from({ length: 10 }, () => store.create(draft())));
    const copy = crashed(path, folder.path);
    for (const suffix of ['', '-wal']) rmSync(`${copy}${suffix}`);
    const before = readFileSync(redoPathOf(copy));

    for (let n = 0; n < 2; n++) expect(() => openSqlite({ path: copy })).toThrow('it is new, but the log beside it');

    expect(readFileSync(redoPathOf(copy)).equals(before)).toBe(true);
  });

  test('starts with a log that was cut short', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using store = openSqlite({ path });
    await Promise.all(Array.from({ length: 10 }, () => store.create(draft())));
    const copy = crashed(path, folder.path);
    truncateSync(redoPathOf(copy), 100);

    await using recovered = openSqlite({ path: copy });

    expect(await recovered.list()).toEqual([]);
    expect((await recovered.create(draft())).id).toBe(1);
  });
});
