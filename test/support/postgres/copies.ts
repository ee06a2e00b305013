/** Databases with many notes, created once and copied. */
import { SQL } from 'bun';
import type { Note } from '../../../src/core/note.ts';
import { openPostgres } from '../../../src/store/open-postgres.ts';
import { createEmptyDatabase, createPostgresOptions, runStatements, type TestDatabase } from './databases.ts';

const insert = `INSERT INTO notes (id, title, content, category, "group", color, archived, created_at, updated_at)
  SELECT id, title, content, category, "group", color, archived,
    extract(epoch FROM "createdAt") * 1000, extract(epoch FROM "updatedAt") * 1000
  FROM json_to_recordset($1::text::json) AS note(id bigint, title text, content text, category text, "group" text,
    color text, archived boolean, "createdAt" timestamptz, "updatedAt" timestamptz)`;

/** A database with these notes. */
export async function createDatabaseWithNotes(notes: readonly Note[]): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await (await openPostgres(createPostgresOptions(database.url)))[Symbol.asyncDispose]();
  await using sql = new SQL(database.url, { max: 1 });
  await sql.unsafe(insert, [JSON.stringify(notes)]);
  await sql.unsafe(`SELECT setval(pg_get_serial_sequence('notes', 'id'), max(id)) FROM notes`);
  await sql.unsafe('ANALYZE notes');
  return database;
}

let copies = 0;

/** A copy of a database without connections, dropped on disposal. */
export async function copyDatabase(original: TestDatabase): Promise<TestDatabase> {
  const url = new URL(original.url);
  const name = url.pathname.slice(1);
  const copy = `${name}_copy_${++copies}`;
  url.pathname = copy;
  await original.run(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
  return {
    url: url.href,
    run: (statements) => runStatements(url.href, statements),
    [Symbol.asyncDispose]: async () => void (await original.run(`DROP DATABASE ${copy} WITH (FORCE)`)),
  };
}
