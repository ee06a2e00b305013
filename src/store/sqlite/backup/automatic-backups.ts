import { existsSync } from 'node:fs';
import { mkdir, realpath, rm, stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { NoteError } from '../../../core/error.ts';
import type { BackupRetention } from '../../../core/setting-values.ts';
import { getErrorCodeOrEmpty } from '../../../core/thrown-errors.ts';
import { requestOnNewThread } from '../sqlite-worker-client.ts';
import { findNewestBackupUntil } from './backup-names.ts';
import { dayMs, selectExpiredBackups } from './backup-retention.ts';
import { type Backup, createBackup } from './create-backup.ts';

export interface AutomaticBackups {
  readonly database: string;
  readonly folder: string;
  readonly keep: BackupRetention;
}

export interface BackupEvents {
  /** Called with the time at which the newest backup was begun, in ms since 1970; undefined if there is none. */
  readonly onNewest: (at: number | undefined) => void;
  readonly onMade: (backup: Backup) => void;
  readonly onRemoved: (paths: readonly string[]) => void;
}

/** A backup leaves so many bytes of its disk free, since notes on the same disk may be rejected below it. */
export const reserveBytes = 64 * 2 ** 20;

/**
 * Creates a backup if the newest one is a day old, and then deletes expired ones. Creates the folder if it is missing,
 * but not those above it. Throws `unavailable` with advice.
 */
export async function backUpAndDeleteExpiredIfDue(
  { database: linkedDatabase, folder, keep }: AutomaticBackups,
  signal: AbortSignal,
  events: BackupEvents,
): Promise<void> {
  const now = Date.now();
  const database = await realpath(linkedDatabase);
  try {
    const newest = findNewestBackupUntil(await requestOnNewThread(signal, 'listBackups', [folder, database]), now);
    events.onNewest(newest?.at);
    if (newest !== undefined && now - newest.at < dayMs) return;
    const temporary = `.notes-automatic-${basename(database)}`;
    if (!existsSync(folder)) await mkdir(folder, { mode: 0o700 });
    await rm(join(folder, temporary), { recursive: true, force: true }); // a killed service may have left one
    await assertBackupWithinLimits({ database, folder, keep });
    events.onMade(await createBackup(database, folder, { signal, temporary }));
    events.onNewest(now);
    const backups = await requestOnNewThread(signal, 'listBackups', [folder, database]);
    const removed = selectExpiredBackups(backups, keep, Date.now());
    for (const { path } of removed) await rm(path);
    events.onRemoved(removed.map(({ path }) => path));
  } catch (error) {
    throw toFolderError(error, folder);
  }
}

/** Throws `unavailable` if a backup would exceed the limits. It is about as large as the database. */
async function assertBackupWithinLimits({ database, folder, keep }: AutomaticBackups): Promise<void> {
  const [{ size }, disk] = await Promise.all([stat(database), statfs(folder)]);
  const takes = `A backup takes about ${formatMebibytes(size)}`;
  if (size > keep.maxBytes) {
    const limit = `all of them may take ${formatMebibytes(keep.maxBytes)}. Raise the size in BACKUP_KEEP`;
    throw new NoteError('unavailable', `${takes}, and ${limit}`);
  }
  const free = disk.bavail * disk.bsize;
  if (free - size >= reserveBytes) return;
  const room = `${formatMebibytes(free)} are free at ${folder}, of which ${formatMebibytes(reserveBytes)} stay free`;
  throw new NoteError('unavailable', `${takes}, and ${room}. Free some space`);
}

const formatMebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;

/** Explains an error of the file system; returns others unchanged. */
function toFolderError(error: unknown, folder: string): unknown {
  const code = getErrorCodeOrEmpty(error);
  if (error instanceof NoteError || code === '') return error;
  const remedy = 'Let the user that runs the service write to it, or name another folder in BACKUP_DIR';
  return new NoteError('unavailable', `${folder} cannot be used (${code}). ${remedy}`, { cause: error });
}
