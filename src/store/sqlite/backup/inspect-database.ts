import type { Database } from 'bun:sqlite';
import { syncLog } from '../../fsync.ts';
import { formatTime } from '../../note-fields.ts';
import { isForeign, pragma } from '../migrate-sqlite.ts';
import { openUnchanged } from '../open-database.ts';
import { applicationId } from '../sqlite-migrations.ts';
import { readLastId } from '../sqlite-reads.ts';

export interface Counts {
  readonly notes: number;
  readonly newest: string | undefined;
  readonly lastId: number;
}

export interface Inspection extends Counts {
  /** `ok`, or the first fault that SQLite found. */
  readonly integrity: string;
  readonly isOurs: boolean;
  /** Whether another program owns it. A database without tables may belong to neither. */
  readonly isForeign: boolean;
  readonly schema: number;
}

/** Inspects a database without changing it, also while a service uses it. `isThorough` also compares the indexes. */
export function inspect(path: string, isThorough: boolean): Inspection {
  using db = openUnchanged(path);
  db.run('BEGIN');
  const check = isThorough ? 'integrity_check' : 'quick_check';
  const [fault] = db.prepare<Record<string, string>, []>(`PRAGMA ${check}(1)`).all();
  const schema = pragma(db, 'user_version');
  const isOurs = pragma(db, 'application_id') === applicationId && schema > 0;
  const facts = { integrity: fault?.[check] ?? 'unknown', isOurs, isForeign: isForeign(db), schema };
  const counts = isOurs ? countsOf(db) : nothing;
  syncLog(path);
  return { ...facts, ...counts };
}

export const nothing: Counts = { notes: 0, newest: undefined, lastId: 0 };

export function countsOf(db: Database): Counts {
  const select = 'SELECT count(*) AS notes, max(updated_at) AS newest FROM notes';
  const row = db.prepare<{ notes: number; newest: number | null }, []>(select).all()[0];
  const newest = row?.newest == null ? undefined : formatTime(row.newest);
  return { notes: row?.notes ?? 0, newest, lastId: readLastId(db) };
}
