import { categories, colors, groups } from '../../domain/note.ts';

/** Marks a database file as ours (`PRAGMA application_id`): "Note" in ASCII. */
export const applicationId = 0x4e6f7465;

/** Not `IN (…)`: in a CHECK, SQLite builds the list anew for every row (2 of 3.6 µs of an insert). */
const isOneOf = (column: string, values: readonly string[]) =>
  values.map((value) => `${column} = '${value}'`).join(' OR ');

/**
 * The steps from an empty file to the present schema; `PRAGMA user_version` counts those that were taken.
 * A step that has been released never changes: a new value of an enum needs a new step.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE notes (
     id         INTEGER PRIMARY KEY AUTOINCREMENT,
     title      TEXT    NOT NULL CHECK (title <> ''),
     content    TEXT    NOT NULL CHECK (content <> ''),
     category   TEXT    NOT NULL CHECK (${isOneOf('category', categories)}),
     "group"    TEXT    NOT NULL CHECK (${isOneOf('"group"', groups)}),
     color      TEXT    NOT NULL CHECK (${isOneOf('color', colors)}),
     archived   INTEGER NOT NULL DEFAULT 0 CHECK (archived = 0 OR archived = 1),
     created_at INTEGER NOT NULL, -- ms since 1970, UTC
     updated_at INTEGER NOT NULL CHECK (updated_at >= created_at)
   ) STRICT;
   CREATE INDEX notes_by_cell ON notes (archived, category, "group");`,
];
