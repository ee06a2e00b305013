/** Writes to notes locked by another transaction: they wait, and no other write waits with them for long. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { createDatabase, optionsFor } from '../support/postgres/databases.ts';
import { draft } from '../support/service.ts';

test('writes to locked notes wait for them, delay no others, and see what was written meanwhile', async () => {
  await using database = await createDatabase();
  await using store = await openPostgres(optionsFor(database.url));
  const notes = await Promise.all(Array.from({ length: 6 }, () => store.create(draft())));
  const free = await store.create(draft());
  await using other = new SQL(database.url, { max: 1 });
  const session = await other.reserve();
  await session`BEGIN`;
  await session`UPDATE notes SET content = 'other', updated_at = updated_at + 60000 WHERE id <> ${free.id}`;

  const stale = store
    .update(notes[0]?.id ?? 0, { title: 'stale' }, [notes[0]?.updatedAt ?? ''])
    .catch((error) => error.code);
  const writing = notes.flatMap(({ id }) => [store.update(id, { title: 'ours' }), store.setArchived(id, true)]);
  const started = performance.now();
  for (let n = 0; n < 100; n++) await store.update(free.id, { title: `${n}` });
  const ms = performance.now() - started;
  await session`COMMIT`;
  session.release();
  await Promise.all(writing);

  expect(ms).toBeLessThan(5_000); // one of them may wait 500 ms with the locked notes
  expect(await stale).toBe('conflict');
  for (const { id, updatedAt } of notes) {
    const note = await store.get(id);
    expect(note).toMatchObject({ title: 'ours', content: 'other', archived: true });
    expect(Date.parse(note.updatedAt)).toBeGreaterThan(Date.parse(updatedAt) + 60_000);
  }
}, 60_000);
