/** Checks that the enums of a note and the constraints of the schema agree. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { categories, colors, groups } from '../../src/core/enums.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { createEmptyDatabase, createPostgresOptions } from '../support/postgres/databases.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createTemporaryFolder } from '../support/service.ts';

/** A database whose schema the product created. */
interface Subject extends AsyncDisposable {
  run<Row>(statement: string): Promise<Row[]>;
  /** Selects the text of the constraints from the database. */
  readonly constraints: string;
}

async function onSqlite(): Promise<Subject> {
  const folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  await (await openSqlite({ path }))[Symbol.asyncDispose]();
  const db = new Database(path);
  return {
    run: async <Row>(statement: string) => db.prepare<Row, []>(statement).all(),
    constraints: "SELECT sql AS text FROM sqlite_schema WHERE name = 'notes'",
    async [Symbol.asyncDispose]() {
      db.close(true);
      folder[Symbol.dispose]();
    },
  };
}

async function onPostgres(): Promise<Subject> {
  const database = await createEmptyDatabase();
  await (await openPostgres(createPostgresOptions(database.url)))[Symbol.asyncDispose]();
  return Object.assign(database, {
    constraints: `SELECT string_agg(pg_get_constraintdef(oid), ' ') AS text FROM pg_constraint
      WHERE conrelid = 'notes'::regclass AND contype = 'c'`,
  });
}

const engines: readonly (readonly [name: string, make: () => Promise<Subject>])[] = [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
];

const enums = { category: categories, group: groups, color: colors } as const;

const insert = (changes: Partial<Record<keyof typeof enums, string>>) => {
  const { category, group, color } = { ...createDraft(), ...changes };
  return `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
    VALUES ('A title', 'Some content', '${category}', '${group}', '${color}', 0, 0)`;
};

/** Those of the values that the database accepts for a field. */
async function taken(subject: Subject, field: keyof typeof enums, values: Iterable<string>): Promise<string[]> {
  const found: string[] = [];
  for (const value of values) {
    const isTaken = await subject.run(insert({ [field]: value })).then(
      () => true,
      () => false,
    );
    if (isTaken) found.push(value);
  }
  return found.toSorted();
}

const remedy = 'The enums of src/core/enums.ts and the newest migration differ: add a step, see CONTRIBUTING.md';

test.each(engines)('%s accepts the values of each enum, and no others', async (_, make) => {
  await using subject = await make();
  const [constraints] = await subject.run<{ text: string }>(subject.constraints);
  const literals = [...(constraints?.text ?? '').matchAll(/'([^']*)'/g)].map(([, literal]) => literal ?? '');

  for (const field of ['category', 'group', 'color'] as const) {
    const found = await taken(subject, field, new Set([...enums[field], ...literals]));

    expect(found, remedy).toEqual(enums[field].toSorted());
  }
});
