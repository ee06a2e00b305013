/**
 * What other sessions lock: writes to locked notes and a migration wait, and no other write waits with them for long.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { migrations } from '../../src/store/postgres/postgres-migrations.ts';
import { createEmptyDatabase, createPostgresOptions, type TestDatabase } from '../support/postgres/databases.ts';
import { startRelay, type Tap } from '../support/relay.ts';
import { createDraft } from '../support/sample-notes.ts';
import { openSession } from './roles.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

/** SQLSTATE of a lock that was waited for too long, as the server sends it. */
const lockTimeout = Buffer.from('C55P03\0', 'latin1');

/** An address of the database, and the number of lock timeouts of those who use it. */
async function countLockTimeouts() {
  const url = new URL(database.url);
  const serverPort = Number(url.port);
  const counted = { lockTimeouts: 0 };
  const toClient: Tap['toClient'] = (bytes) => {
    if (bytes.includes(lockTimeout)) counted.lockTimeouts++;
    return true;
  };
  const relay = await startRelay(() => serverPort, { toClient });
  url.port = String(relay.port);
  return Object.assign(counted, { url: url.href, [Symbol.dispose]: () => relay[Symbol.dispose]() });
}

test('writes to locked notes wait for them, delay no others, and see what was written meanwhile', async () => {
  using counted = await countLockTimeouts();
  await using store = await openPostgres(createPostgresOptions(counted.url));
  const notes = await Promise.all(Array.from({ length: 6 }, () => store.create(createDraft())));
  const free = await store.create(createDraft());
  await using other = openSession(database);
  await other.run(`BEGIN; UPDATE notes SET content = 'other', updated_at = updated_at + 60000 WHERE id <> ${free.id}`);

  const stale = store
    .update(notes[0]?.id ?? 0, { title: 'stale' }, [notes[0]?.updatedAt ?? ''])
    .catch((error) => error.code);
  const writing = notes.flatMap(({ id }) => [store.update(id, { title: 'ours' }), store.setArchived(id, true)]);
  const started = performance.now();
  for (let n = 0; n < 100; n++) await store.update(free.id, { title: `${n}` });
  const seconds = (performance.now() - started) / 1_000;
  const { lockTimeouts } = counted;
  await other.run('COMMIT');
  await Promise.all(writing);

  expect(lockTimeouts).toBeWithin(1, Math.ceil(seconds) + 1); // in each second, one may wait 500 ms with the locked notes
  expect(await stale).toBe('conflict');
  for (const { id, updatedAt } of notes) {
    const note = await store.get(id);
    expect(note).toMatchObject({ title: 'ours', content: 'other', archived: true });
    expect(Date.parse(note.updatedAt)).toBeGreaterThan(Date.parse(updatedAt) + 60_000);
  }
});

test('behind an open transaction, a migration waits, writes continue, and it runs once that has ended', async () => {
  await using running = await openPostgres(createPostgresOptions(database.url));
  await using other = openSession(database);
  using counted = await countLockTimeouts();
  await other.run('BEGIN; SELECT 1 FROM notes');
  const step = { sql: 'ALTER TABLE notes ADD COLUMN mood text', worksFrom: 1 };
  let isOpen = false;
  const opening = openPostgres({ ...createPostgresOptions(counted.url), steps: [...migrations, step] }).then(
    (store) => {
      isOpen = true;
      return store;
    },
  );

  while (counted.lockTimeouts < 3) await running.create(createDraft());
  const wasOpen = isOpen;
  await other.run('COMMIT');
  await using _newer = await opening;

  expect(wasOpen).toBe(false);
  expect(isOpen).toBe(true);
});
