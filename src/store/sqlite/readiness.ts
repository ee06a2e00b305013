import type { Database } from 'bun:sqlite';
import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { Write } from '../engine.ts';
import { columns } from '../row.ts';
import { pragma } from './migrate.ts';
import { readOrigins } from './sqlite-origins.ts';
import { readLabels } from './sqlite-reads.ts';
import type { Written } from './sqlite-writes.ts';

/** Throws `unavailable` if the schema is not that of `knownSteps` steps, else errors of a missing table or index. */
export function checkSchema(db: Database, knownSteps: number): void {
  const version = pragma(db, 'user_version');
  if (version !== knownSteps) throw new NoteError('unavailable', message.schemaChanged(version));
  db.prepare(`SELECT ${columns} FROM notes INDEXED BY notes_by_id_range WHERE id >> 10 = 0 LIMIT 1`).all();
  db.prepare(
    'SELECT version_id, previous_id FROM notes JOIN note_versions ON note_versions.id = version_id LIMIT 1',
  ).all();
  readLabels(db);
  readOrigins(db, Number.MAX_SAFE_INTEGER);
}

/** Creates and changes a note. Throws errors of the database. To be rolled back. */
export function tryWrites(write: (write: Write, at: number) => Written | NoteError): void {
  const draft = { title: '-', content: '-', category: 'css', group: 'first', color: 'info' } as const;
  const made = write({ kind: 'create', draft }, 0);
  const outcome =
    made instanceof NoteError ? made : write({ kind: 'change', id: made.note.id, change: { title: '+' } }, 0);
  if (outcome instanceof NoteError) throw outcome.cause ?? outcome;
}
