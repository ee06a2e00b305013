import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NoteError } from '../../../domain/error.ts';
import { counted } from '../../../shared/text.ts';
import { inspectDatabase } from '../../../store/sqlite/background.ts';
import { refuseUnsound } from '../../../store/sqlite/backup/backup.ts';
import { backupsIn, newestOf } from '../../../store/sqlite/backup/backup-names.ts';
import { dayMs } from '../../../store/sqlite/backup/retention.ts';
import { type Check, fault, ok, warning } from './check.ts';

const name = 'backup';
const oldMs = 3 * dayMs;

/** Where a service keeps its backups. */
export interface BackupPlace {
  /** `off`: it makes none. */
  readonly folder: string;
  /** Of all of them. */
  readonly maxBytes: number;
}

/** Checks the backups of a database at its real path: beside it, and in `folder`. */
export async function examineBackups(
  database: string,
  { folder, maxBytes }: BackupPlace,
  signal: AbortSignal | undefined,
): Promise<readonly Check[]> {
  const now = Date.now();
  const beside = backupsIn(dirname(database), database);
  if (folder === 'off') return [besideOf(newestOf(beside, now)?.path)];
  const newest = newestOf([...beside, ...backupsIn(folder, database)], now);
  if (newest === undefined && (await stat(database)).size > maxBytes) {
    const remedy = 'Raise the size in BACKUP_KEEP; "notes backup" makes one now';
    return [warning(name, `none in ${folder}: the database exceeds the space for backups`, remedy)];
  }
  if (newest === undefined) return [ok(name, `none in ${folder} yet; a running service makes one a day`)];
  const { path, at } = newest;
  try {
    const { notes } = refuseUnsound(path, await inspectDatabase(path, signal === undefined, signal));
    const found = `${counted(notes)} in ${path}, ${ageOf(now - at)} old`;
    if (now - at <= oldMs) return [ok(name, found)];
    return [warning(name, found, 'Look for backup errors in the log of the service; "notes backup" makes one now')];
  } catch (error) {
    if (error instanceof DOMException) return [warning(name, `${path} is not checked yet`, 'Run it with --full')];
    const reason = error instanceof NoteError ? error.message : String(error);
    return [fault(name, `the newest cannot be opened: ${reason}`, `Remove it: a running service then makes a new one`)];
  }
}

function besideOf(newest: string | undefined): Check {
  if (newest === undefined) return ok(name, 'none beside the database; "notes backup" makes one');
  return ok(name, `the newest beside the database is ${newest}`);
}

const hourMs = dayMs / 24;

const ageOf = (ms: number) => (ms < 2 * dayMs ? `${Math.floor(ms / hourMs)} h` : `${Math.floor(ms / dayMs)} days`);
