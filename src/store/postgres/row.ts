import type { Row } from '../row.ts';

/** The driver returns int8 as text. */
export type NoteRow = Row<string, boolean>;
