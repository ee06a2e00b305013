import type { Row } from '../row.ts';

/** SQLite has no booleans. */
export type NoteRow = Row<number, 0 | 1>;
