/** Group labels are kept by every store, and in its backups. */
import { describe, expect, test } from 'bun:test';
import { type Labels, noLabels } from '../../src/core/group-labels.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { migrations } from '../../src/store/postgres/postgres-migrations.ts';
import { createDatabase, optionsFor } from '../support/postgres/databases.ts';
import { draft } from '../support/service.ts';
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

test('on PostgreSQL, a program of the earlier schema keeps working beside one with labels', async () => {
  await using database = await createDatabase();
  await using before = await openPostgres({ ...optionsFor(database.url), steps: migrations.slice(0, 3) });
  await using store = await openPostgres(optionsFor(database.url));

  await store.setLabels(work);
  const note = await before.create(draft());
  await before.check();

  expect([await store.labels(), await store.get(note.id)]).toEqual([work, note]);
});
