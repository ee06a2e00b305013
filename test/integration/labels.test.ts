/** Every store keeps the labels of groups and categories, and never lets two of them become alike. */
import { describe, expect, test } from 'bun:test';
import { categories } from '../../src/core/enums.ts';
import { parseLabelChangesFromBody as changes, type Labels, noLabels } from '../../src/core/value-labels.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { migrations } from '../../src/store/postgres/postgres-migrations.ts';
import { catchCodeAndMessage } from '../support/catch-code-and-message.ts';
import { createEmptyDatabase, createPostgresOptions } from '../support/postgres/databases.ts';
import { createDraft } from '../support/sample-notes.ts';
import { getErrorCodeOrNoError, type Open, stores } from '../support/stores/stores.ts';

const work: Labels = { ...noLabels, first: 'Work', third: "Ünder “way” $1 \\ '" };
const home: Labels = { ...noLabels, second: 'At home' };
const styles: Labels = { ...noLabels, first: 'Work', css: "Ünder “looks” $$ \\ '" };

describe.each(stores)('%s', (_, open: Open) => {
  test('has no labels at first, and then the latest', async () => {
    await using store = await open();

    const first = await store.labels();
    const set = [await store.setLabels(work), await store.labels()];
    await store.setLabels(home);

    expect([first, ...set, await store.labels()]).toEqual([noLabels, work, work, home]);
  });

  test('keeps the label of a category until a change names it', async () => {
    await using store = await open();

    const set = [await store.setLabels(changes({ first: 'Work', css: styles.css })), await store.labels()];
    const groupsOnly = [await store.setLabels(changes({ second: 'At home' })), await store.labels()];
    await store.setLabels(changes({ css: null }));

    expect(set).toEqual([styles, styles]);
    expect(groupsOnly).toEqual([
      { ...home, css: styles.css },
      { ...home, css: styles.css },
    ]);
    expect(await store.labels()).toEqual(noLabels);
  });

  test('rejects a label that another group or category has, and changes nothing', async () => {
    await using store = await open();
    await store.setLabels(changes({ first: 'Work', css: 'Styles' }));

    const rejected = [
      await catchCodeAndMessage(store.setLabels(changes({ second: 'styles' }))),
      await catchCodeAndMessage(store.setLabels(changes({ first: 'Work', prompts: 'WORK' }))),
    ];

    expect(rejected).toEqual([
      ['invalid', 'Invalid second. Must differ from css and its label'],
      ['invalid', 'Invalid prompts. Must differ from first and its label'],
    ]);
    expect(await store.labels()).toEqual({ ...noLabels, first: 'Work', css: 'Styles' });
  });

  test('gives a label to one of many that are set concurrently, and loses no other one', async () => {
    await using store = await open();

    const codes = await Promise.all(
      categories.flatMap((category) => [
        getErrorCodeOrNoError(store.setLabels(changes({ [category]: 'Same' }))),
        getErrorCodeOrNoError(store.setLabels(changes({ [category]: `Of ${category}` }))),
      ]),
    );

    const labels = await store.labels();
    expect(codes.filter((code) => code !== 'no error' && code !== 'invalid')).toEqual([]);
    expect(Object.values(labels).filter((label) => label === 'Same').length).toBeLessThanOrEqual(1);
    expect(categories.filter((category) => labels[category] === null)).toEqual([]);
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
  await using database = await createEmptyDatabase();
  await using before = await openPostgres({ ...createPostgresOptions(database.url), steps: migrations.slice(0, 3) });
  await using store = await openPostgres(createPostgresOptions(database.url));

  await store.setLabels(work);
  const note = await before.create(createDraft());
  await before.assertReadableAndWritable();

  expect([await store.labels(), await store.get(note.id)]).toEqual([work, note]);
});

test('on PostgreSQL, the labels of an earlier schema stay, and a program of it keeps working beside', async () => {
  await using database = await createEmptyDatabase();
  await using before = await openPostgres({ ...createPostgresOptions(database.url), steps: migrations.slice(0, 7) });
  await database.run(`INSERT INTO group_labels VALUES ('first', 'Work')`);
  await using store = await openPostgres(createPostgresOptions(database.url));

  const earlier = await store.labels();
  await store.setLabels(styles);
  const note = await before.create(createDraft());
  await before.assertReadableAndWritable();

  expect([earlier, await store.labels(), await store.get(note.id)]).toEqual([
    { ...noLabels, first: 'Work' },
    styles,
    note,
  ]);
});
