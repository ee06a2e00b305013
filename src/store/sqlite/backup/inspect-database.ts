import type { Database } from 'bun:sqlite';
import { syncWriteAheadLog } from '../../fsync.ts';
import { formatTime } from '../../note-fields.ts';
import { openReadOnlyWithoutCreatingLog } from '../open-sqlite-database.ts';
import { isForeignDatabase, readNumericPragmaOrZero } from '../schema-checks.ts';
import { applicationId } from '../sqlite-migrations.ts';
import { readHighestAssignedId } from '../sqlite-reads.ts';

export interface NotesSummary {
  readonly notes: number;
  /** Time of the latest change. */
  readonly newest: string | undefined;
  /** The highest id ever assigned; 0 if there is none. */
  readonly lastId: number;
}

export interface Inspection extends NotesSummary {
  /** `ok`, or the first fault that SQLite found. */
  readonly integrity: string;
  readonly isOurs: boolean;
  /** Whether another program created it. A database without tables is neither ours nor foreign. */
  readonly isForeign: boolean;
  /** Number of the migrations that it has. */
  readonly schema: number;
}

/**
 * Reads what is in a database, and lets SQLite check its pages; if `isThorough`, also its indexes. Changes nothing, and
 * may run while a service uses it.
 */
export function inspectDatabase(path: string, isThorough: boolean): Inspection {
  using db = openReadOnlyWithoutCreatingLog(path);
  db.run('BEGIN');
  const check = isThorough ? 'integrity_check' : 'quick_check';
  const [checked] = db.prepare<Record<string, string>, []>(`PRAGMA ${check}(1)`).all();
  const schema = readNumericPragmaOrZero(db, 'user_version');
  const isOurs = readNumericPragmaOrZero(db, 'application_id') === applicationId && schema > 0;
  const facts = { integrity: checked?.[check] ?? 'unknown', isOurs, isForeign: isForeignDatabase(db), schema };
  const counts = isOurs ? readNotesSummary(db) : emptyNotesSummary;
  syncWriteAheadLog(path); // what is reported must not be lost in a power cut
  return { ...facts, ...counts };
}

export const emptyNotesSummary: NotesSummary = { notes: 0, newest: undefined, lastId: 0 };

export function readNotesSummary(db: Database): NotesSummary {
  const select = 'SELECT count(*) AS notes, max(updated_at) AS newest FROM notes';
  const row = db.prepare<{ notes: number; newest: number | null }, []>(select).all()[0];
  const newest = row?.newest == null ? undefined : formatTime(row.newest);
  return { notes: row?.notes ?? 0, newest, lastId: readHighestAssignedId(db) };
}
