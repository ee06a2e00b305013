/** Checks that the enums of a note and the constraints of the schema agree, and shows how to change both. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { categories, colors, groups } from '../../src/domain/enums.ts';
import type { Note, NoteDraft } from '../../src/domain/note.ts';
import type { NoteEngine } from '../../src/domain/store.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { migrations as postgresSteps } from '../../src/store/postgres/schema.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { migrations as sqliteSteps } from '../../src/store/sqlite/schema.ts';
import { Load } from '../support/http/load.ts';
import { createDatabase, optionsFor } from '../support/postgres/databases.ts';
import { seeded } from '../support/random.ts';
import { draft, startService, temporaryFolder } from '../support/service.ts';

/** A database whose schema the product created. */
interface Subject extends AsyncDisposable {
  run<Row>(statement: string): Promise<Row[]>;
  /** Selects the text of the constraints from the database. */
  readonly constraints: string;
}

async function onSqlite(): Promise<Subject> {
  const folder = temporaryFolder();
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
  const database = await createDatabase();
  await (await openPostgres(optionsFor(database.url)))[Symbol.asyncDispose]();
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
  const { category, group, color } = { ...draft(), ...changes };
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

const remedy = 'The enums of src/domain/enums.ts and the newest migration differ: add a step, see docs/architecture.md';

test.each(engines)('%s accepts the values of each enum, and no others', async (_, make) => {
  await using subject = await make();
  const [constraints] = await subject.run<{ text: string }>(subject.constraints);
  const literals = [...(constraints?.text ?? '').matchAll(/'([^']*)'/g)].map(([, literal]) => literal ?? '');

  for (const field of ['category', 'group', 'color'] as const) {
    const found = await taken(subject, field, new Set([...enums[field], ...literals]));

    expect(found, remedy).toEqual(enums[field].toSorted());
  }
});

/** A draft that only a release with an eighth category would accept. */
const recipe: NoteDraft = JSON.parse(JSON.stringify({ ...draft({ title: 'Soup' }), category: 'recipes' }));

/** SQLite cannot alter a CHECK, so the table is rebuilt: https://www.sqlite.org/lang_altertable.html#otheralter. */
const eighthOnSqlite = `
  CREATE TABLE new_notes (
     id         INTEGER PRIMARY KEY AUTOINCREMENT,
     title      TEXT    NOT NULL CHECK (title <> ''),
     content    TEXT    NOT NULL CHECK (content <> ''),
     category   TEXT    NOT NULL CHECK (category = 'css' OR category = 'host-town' OR category = 'prompts' OR category = 'notes' OR category = 'chat-tool' OR category = 'editor-chats' OR category = 'bash-commands' OR category = 'recipes'),
     "group"    TEXT    NOT NULL CHECK ("group" = 'first' OR "group" = 'second' OR "group" = 'third' OR "group" = 'fourth' OR "group" = 'fifth'),
     color      TEXT    NOT NULL CHECK (color = 'primary' OR color = 'secondary' OR color = 'accent' OR color = 'neutral' OR color = 'info' OR color = 'success' OR color = 'warning' OR color = 'error'),
     archived   INTEGER NOT NULL DEFAULT 0 CHECK (archived = 0 OR archived = 1),
     created_at INTEGER NOT NULL, -- ms since 1970, UTC
     updated_at INTEGER NOT NULL CHECK (updated_at >= created_at)
   , version_id INTEGER) STRICT;
  INSERT INTO new_notes (id, title, content, category, "group", color, archived, created_at, updated_at, version_id)
    SELECT id, title, content, category, "group", color, archived, created_at, updated_at, version_id FROM notes;
  DELETE FROM sqlite_sequence WHERE name = 'new_notes';
  UPDATE sqlite_sequence SET name = 'new_notes' WHERE name = 'notes'; -- also ids that are gone are not given out again
  DROP TABLE notes;
  ALTER TABLE new_notes RENAME TO notes;
  CREATE INDEX notes_by_id_range ON notes (id >> 10, archived, category, "group");`;

/** The schema of a file and the last assigned id. */
function schemaOf(path: string) {
  using db = new Database(path, { readonly: true });
  return {
    entries: db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all(),
    sequence: db.prepare('SELECT name, seq FROM sqlite_sequence').all(),
    integrity: db.prepare('PRAGMA integrity_check').all(),
  };
}

test('a current SQLite store accepts an eighth category after a migration that rebuilds the table', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'notes.db');
  const kept = await storeOfToday(path);
  const before = schemaOf(path);

  await (await openSqlite({ path, steps: [...sqliteSteps, eighthOnSqlite] }))[Symbol.asyncDispose]();

  const after = JSON.stringify(schemaOf(path));
  expect(JSON.parse(after.replace('\\"notes\\" (', 'notes (').replace(" OR category = 'recipes'", ''))).toEqual(before);
  await using store = await openSqlite({ path, steps: [...sqliteSteps, eighthOnSqlite] });
  const note = await store.create(recipe);
  expect(note).toMatchObject({ id: 4, title: 'Soup', category: 'recipes' });
  expect(await store.list()).toEqual([...kept, note]);
  expect((await store.update(1, { category: recipe.category })).category).toBe(recipe.category);
});

/** Two notes, and a third that another program has deleted. */
async function storeOfToday(path: string) {
  await using store = await openSqlite({ path });
  for (const category of ['css', 'bash-commands', 'notes'] as const) await store.create(draft({ category }));
  using other = new Database(path);
  other.run('DELETE FROM notes WHERE id = 3');
  return await store.list();
}

/** NOT VALID: every row passed the narrower check, so none is read again, and other instances wait only briefly. */
const eighthOnPostgres = `
  ALTER TABLE notes DROP CONSTRAINT notes_category_check, ADD CONSTRAINT notes_category_check CHECK (category IN
    ('css', 'host-town', 'prompts', 'notes', 'chat-tool', 'editor-chats', 'bash-commands', 'recipes')) NOT VALID;`;

test('a current PostgreSQL store accepts an eighth category after a migration, beside a serving instance', async () => {
  await using database = await createDatabase();
  await using today = await startService({ DATABASE_URL: database.url });
  const load = new Load(seeded(7), 'failed', { clients: 16 });
  const steps = [...postgresSteps, { sql: eighthOnPostgres, worksFrom: 1 }];

  await using opened = new AsyncDisposableStack();
  let tomorrow: NoteEngine | undefined;
  await load.during(async () => {
    await load.reach(200);
    tomorrow = opened.use(await openPostgres({ ...optionsFor(database.url), steps }));
    await load.reach(load.acknowledged + 200);
  }, today);

  expect([...load.answers.keys()]).toEqual([200]);
  await load.verify(today);
  const note = await tomorrow?.create(recipe);
  expect(note).toMatchObject({ title: 'Soup', category: 'recipes' });
  const listed: Note[] = JSON.parse(await (await fetch(`${today.url}/api/notes`)).text());
  expect(listed.find(({ id }) => id === note?.id)).toEqual(note);
}, 60_000);
