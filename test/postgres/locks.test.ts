/** What other sessions lock: writes to locked notes and a migration wait, and no other write waits with them for long. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { migrations } from '../../src/store/postgres/schema.ts';
import { createDatabase, optionsFor, type TestDatabase } from '../support/postgres/databases.ts';
import { draft } from '../support/service.ts';
import { sessionOf } from './roles.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

test('writes to locked notes wait for them, delay no others, and see what was written meanwhile', async () => {
  await using store = await openPostgres(optionsFor(database.url));
  const notes = await Promise.all(Array.from({ length: 6 }, () => store.create(draft())));
  const free = await store.create(draft());
  await using other = sessionOf(database);
  await other.run(`BEGIN; UPDATE notes SET content = 'other', updated_at = updated_at + 60000 WHERE id <> ${free.id}`);

  const stale = store
    .update(notes[0]?.id ?? 0, { title: 'stale' }, [notes[0]?.updatedAt ?? ''])
    .catch((error) => error.code);
  const writing = notes.flatMap(({ id }) => [store.update(id, { title: 'ours' }), store.setArchived(id, true)]);
  const started = performance.now();
  for (let n = 0; n < 100; n++) await store.update(free.id, { title: `${n}` });
  const ms = performance.now() - started;
  await other.run('COMMIT');
  await Promise.all(writing);

  expect(ms).toBeLessThan(5_000); // one of them may wait 500 ms with the locked notes
  expect(await stale).toBe('conflict');
  for (const { id, updatedAt } of notes) {
    const note = await store.get(id);
    expect(note).toMatchObject({ title: 'ours', content: 'other', archived: true });
    expect(Date.parse(note.updatedAt)).toBeGreaterThan(Date.parse(updatedAt) + 60_000);
  }
}, 60_000);

test('behind an open transaction, a migration waits, writes continue, and it runs once that has ended', async () => {
  await using running = await openPostgres(optionsFor(database.url));
  await using other = sessionOf(database);
  await other.run('BEGIN; SELECT 1 FROM notes');
  const step = { sql: 'ALTER TABLE notes ADD COLUMN mood text', worksFrom: 1 };
  let isOpen = false;
  const opening = openPostgres({ ...optionsFor(database.url), steps: [...migrations, step] }).then((store) => {
    isOpen = true;
    return store;
  });

  const writesMs: number[] = [];
  for (const end = performance.now() + 2_500; performance.now() < end; ) {
    const started = performance.now();
    await running.create(draft());
    writesMs.push(performance.now() - started);
    await Bun.sleep(20);
  }
  const wasOpen = isOpen;
  await other.run('COMMIT');
  await using _newer = await opening;

  expect(wasOpen).toBe(false);
  expect(writesMs.length).toBeGreaterThan(10);
  expect(Math.max(...writesMs)).toBeLessThan(10_000);
}, 60_000);
