import { existsSync } from 'node:fs';
import { mkdir, realpath, rm, stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import type { BackupRetention } from '../../../core/setting-values.ts';
import { getErrorCode } from '../../../core/thrown-errors.ts';
import { inBackground } from '../sqlite-worker-client.ts';
import { type BackupFile, newestOf } from './backup-names.ts';
import { type Backup, backUp } from './create-backup.ts';

export interface AutomaticBackups {
  readonly database: string;
  readonly folder: string;
  readonly keep: BackupRetention;
}

export interface BackupEvents {
  /** The newest one was begun at `at`, in ms since 1970; undefined: there is none. */
  readonly onNewest: (at: number | undefined) => void;
  readonly onMade: (backup: Backup) => void;
  readonly onRemoved: (paths: readonly string[]) => void;
}

/** Space to keep free on the disk, in bytes, as notes on the same disk may be refused below it. */
export const reserveBytes = 64 * 2 ** 20;

/**
 * Makes a backup if the newest is a day old, and the folder if only that is missing; then removes expired backups.
 * Throws `unavailable` with advice.
 */
export async function backUpIfDue(
  { database: given, folder, keep }: AutomaticBackups,
  signal: AbortSignal,
  events: BackupEvents,
): Promise<void> {
  const now = Date.now();
  const database = await realpath(given);
  try {
    const newest = newestOf(await inBackground(signal, 'backupsIn', folder, database), now);
    events.onNewest(newest?.at);
    if (newest !== undefined && now - newest.at < dayMs) return;
    const temporary = `.notes-automatic-${basename(database)}`;
    if (!existsSync(folder)) await mkdir(folder, { mode: 0o700 });
    await rm(join(folder, temporary), { recursive: true, force: true }); // left by a killed service
    await refuseSize({ database, folder, keep });
    events.onMade(await backUp(database, folder, { signal, temporary }));
    events.onNewest(now);
    const removed = expired(await inBackground(signal, 'backupsIn', folder, database), keep, Date.now());
    for (const { path } of removed) await rm(path);
    events.onRemoved(removed.map(({ path }) => path));
  } catch (error) {
    throw refusalOf(error, folder);
  }
}

/** Refuses a backup that would exceed the limits. A copy is about as large as the database. */
async function refuseSize({ database, folder, keep }: AutomaticBackups): Promise<void> {
  const [{ size }, disk] = await Promise.all([stat(database), statfs(folder)]);
  const takes = `A backup takes about ${mebibytes(size)}`;
  if (size > keep.maxBytes) {
    const limit = `all of them may take ${mebibytes(keep.maxBytes)}. Raise the size in BACKUP_KEEP`;
    throw new NoteError('unavailable', `${takes}, and ${limit}`);
  }
  const free = disk.bavail * disk.bsize;
  if (free - size >= reserveBytes) return;
  const room = `${mebibytes(free)} are free at ${folder}, of which ${mebibytes(reserveBytes)} stay free`;
  throw new NoteError('unavailable', `${takes}, and ${room}. Free some space`);
}

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;

function refusalOf(error: unknown, folder: string): unknown {
  const code = getErrorCode(error);
  if (error instanceof NoteError || code === '') return error;
  const remedy = 'Let the user that runs the service write to it, or name another folder in BACKUP_DIR';
  return new NoteError('unavailable', `${folder} cannot be used (${code}). ${remedy}`, { cause: error });
}

export const dayMs = 24 * 60 * 60 * 1000;

type Dated = Pick<BackupFile, 'at' | 'bytes'>;
const dayOf = ({ at }: Dated) => Math.floor(at / dayMs);
/** Weeks start on Monday; 1970 began on a Thursday. */
const weekOf = (backup: Dated) => Math.floor((dayOf(backup) + 3) / 7);

/**
 * Returns the backups to remove, by days and weeks in UTC, never the newest. Backups dated after `now` count as the
 * oldest: after a clock error, later backups must not look outdated.
 */
export function expired<File extends Dated>(
  files: readonly File[],
  keep: BackupRetention,
  now: number,
): readonly File[] {
  const rank = ({ at }: Dated) => (at > now ? at - Number.MAX_SAFE_INTEGER : at);
  const ordered = files.toSorted((a, b) => rank(b) - rank(a));
  const chosen = new Set([...newestOfEach(ordered, dayOf, keep.daily), ...newestOfEach(ordered, weekOf, keep.weekly)]);
  let bytes = 0;
  return ordered.filter((backup, index) => {
    if (!chosen.has(backup)) return true;
    bytes += backup.bytes;
    return index > 0 && bytes > keep.maxBytes;
  });
}

function newestOfEach<Backup>(ordered: readonly Backup[], periodOf: (backup: Backup) => number, count: number) {
  const periods = Map.groupBy(ordered, periodOf).values();
  return periods.take(count).map(([newest]) => newest);
}
