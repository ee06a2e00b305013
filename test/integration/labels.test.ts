/** Group labels are kept by every store, and in its backups. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Labels, noLabels } from '../../src/core/labels.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { migrations } from '../../src/store/postgres/schema.ts';
import { createDatabase, optionsFor } from '../support/postgres/databases.ts';
import { draft, jsonBody, run, startService, temporaryFolder } from '../support/service.ts';
import { type Open, stores } from '../support/stores/stores.ts';

const work: Labels = { ...noLabels, first: 'Work', third: "Ünder “way” $1 \\ '" };
const home: Labels = { ...noLabels, second: 'At home' };

describe.each(stores)('%s', (_, open: Open) => {
  test('has no labels at first, and then the latest', async () => {
    await using store = await open();

    const first = await store.labels();
    const set = [await store.setLabels(work), await store.labels()];
    await store.setLabels(home);

    expect([first, ...set, await store.labels()]).toEqual([noLabels, work, work, home]);
  });

  test('keeps one whole set of many that are set concurrently', async () => {
    await using store = await open();
    const many = Array.from({ length: 20 }, (_, n): Labels => ({ ...noLabels, first: `${n}`, fifth: `${n}!` }));

    await Promise.all(many.map((labels) => store.setLabels(labels)));

    const { first, fifth } = await store.labels();
    expect(fifth).toBe(`${first}!`);
  });
});

test('labels outlive a service that is killed, and are in its backups', async () => {
  using folder = temporaryFolder();
  const url = (name: string) => `sqlite:${join(folder.path, name)}`;
  await using first = await startService({ DATABASE_URL: url('notes.db') });

  await fetch(`${first.url}/api/labels`, jsonBody(work, 'PUT'));
  await first.stop('SIGKILL');
  await using second = await startService({ DATABASE_URL: url('notes.db') });
  const kept = await (await fetch(`${second.url}/api/labels`)).json();
  const backup = await run(['backup', join(folder.path, 'backup.db')], { DATABASE_URL: url('notes.db') });
  await using third = await startService({ DATABASE_URL: url('backup.db') });

  expect([kept, backup.code, await (await fetch(`${third.url}/api/labels`)).json()]).toEqual([work, 0, work]);
}, 60_000);

test('on PostgreSQL, a program of the earlier schema keeps working beside one with labels', async () => {
  await using database = await createDatabase();
  await using before = await openPostgres({ ...optionsFor(database.url), steps: migrations.slice(0, 3) });
  await using store = await openPostgres(optionsFor(database.url));

  await store.setLabels(work);
  const note = await before.create(draft());
  await before.check();

  expect([await store.labels(), await store.get(note.id)]).toEqual([work, note]);
}, 60_000);
