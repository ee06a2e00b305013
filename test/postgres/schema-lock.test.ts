/** A migration that waits for a lock does not block writes. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { migrations } from '../../src/store/postgres/schema.ts';
import { createDatabase, optionsFor } from '../support/postgres/databases.ts';
import { draft } from '../support/service.ts';

test('behind an open transaction, writes continue, and the migration runs once it has ended', async () => {
  await using database = await createDatabase();
  await using running = await openPostgres(optionsFor(database.url));
  await using sql = new SQL(database.url, { max: 1 });
  const other = await sql.reserve();
  await other.unsafe('BEGIN; SELECT 1 FROM notes').simple();
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
  await other.unsafe('COMMIT');
  other.release();
  await using _newer = await opening;

  expect(wasOpen).toBe(false);
  expect(writesMs.length).toBeGreaterThan(10);
  expect(Math.max(...writesMs)).toBeLessThan(10_000);
}, 60_000);
