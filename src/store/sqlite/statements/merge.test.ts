/** Merges with crashes and other programs. test/integration/merge.test.ts tests what all stores have in common. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { draft, portableNote, temporaryFolder } from '../../../../test/support/service.ts';
import { notesOf } from '../../../../test/support/stores/json-list.ts';
import { NoteError } from '../../../domain/error.ts';
import type { Note } from '../../../domain/note.ts';
import { openSqlite } from '../open.ts';

const time = '2100-01-01T00:00:00.000Z';
const kept = (id: number, changes: Partial<Note> = {}) =>
  portableNote(id, { createdAt: time, updatedAt: time, ...changes });

const ids = Array.from({ length: 10 }, (_, n) => n + 1);

/** Copies the files that a process killed now would leave. */
function copyFiles(from: string, to: string): string {
  for (const suffix of ['', '-wal']) {
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
  return to;
}

test('created, replaced and changed notes survive a crash at any moment', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using store = await openSqlite({ path });
  const acknowledged: { readonly copy: string; readonly notes: readonly Note[] }[] = [];
  const crash = async () => {
    const copy = copyFiles(path, join(folder.path, `copy-${acknowledged.length}.db`));
    acknowledged.push({ copy, notes: await store.list() });
  };

  await Promise.all(ids.map(() => store.create(draft())));
  await crash();
  const creating = Promise.all(ids.map(() => store.create(draft())));
  await store.merge(ids.map((id) => kept(id)));
  await creating;
  await crash();
  for (const id of ids) await store.update(id, { title: 'Changed' });
  await store.merge(ids.map((id) => kept(id + 10, { title: 'Merged' })));
  await Promise.all(ids.map(() => store.create(draft())));
  await crash();

  for (const { copy, notes } of acknowledged) {
    await using reopened = await openSqlite({ path: copy });
    expect(await reopened.list()).toEqual([...notes]);
  }
});

test('a dry run loses no concurrent creates', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using store = await openSqlite({ path });
  const [created] = await Promise.all([
    Promise.all(ids.map(() => store.create(draft()))),
    store.merge([kept(1), kept(50)], { dryRun: true }),
  ]);

  await using reopened = await openSqlite({ path: copyFiles(path, join(folder.path, 'copy.db')) });

  expect(await reopened.list()).toEqual(created);
});

test('notices commits of other programs after a merge without changes', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using store = await openSqlite({ path });
  await store.merge([kept(1)]);
  using other = new Database(path);
  await store.listJson({});

  await store.merge([kept(1)]);
  other.run("UPDATE notes SET title = 'Theirs'");
  await Bun.sleep(10); // commits of other programs are noticed within 10 ms

  expect((await notesOf(await store.listJson({})))[0]?.title).toBe('Theirs');
});

test('cached lists show merged notes', async () => {
  await using store = await openSqlite({ path: ':memory:' });
  await store.merge([kept(5)]);
  const before = await store.listJson({});

  await store.merge([kept(2), kept(5, { archived: true, updatedAt: '2100-01-01T00:00:00.001Z' })]);

  const after = await store.listJson({}, [before.revision]);
  expect(await notesOf(after)).toEqual(await store.list());
});

test('a merge waits for another program that holds the write lock', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  await using store = await openSqlite({ path });
  using other = new Database(path);
  other.run('BEGIN IMMEDIATE');

  const merging = store.merge([kept(1)]);
  await Bun.sleep(100);
  other.run('ROLLBACK');

  expect(await merging).toEqual(['added']);
});

test('a closed store refuses a merge at once', async () => {
  const store = await openSqlite({ path: ':memory:' });
  await store[Symbol.asyncDispose]();
  const started = performance.now();

  const error = await store.merge([kept(1)]).catch((error) => error);

  expect(error instanceof NoteError && [error.code, error.message]).toEqual(['busy', 'The service is stopping']);
  expect(performance.now() - started).toBeLessThan(4_000);
});

test('the count of notes includes merged ones', async () => {
  await using store = await openSqlite({ path: ':memory:' });

  await store.merge([kept(1), kept(2), kept(2, { updatedAt: '2100-01-01T00:00:00.001Z' })]);
  await store.merge([kept(3)], { dryRun: true });

  expect((await store.stats()).notes).toBe(2);
});
