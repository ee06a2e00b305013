import { lstat, mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { NoteError } from '../../../domain/error.ts';
import type { BackupKeep } from '../../../shared/settings/backup-keep.ts';
import { codeOf } from '../../../shared/thrown.ts';
import { type Backup, backUp } from './backup.ts';
import { automaticName, manualTimeOf, timeOf } from './backup-names.ts';
import { type Dated, dayMs, expired } from './retention.ts';

/** Settings of automatic backups. `database` is the real path. */
export interface AutomaticBackups {
  readonly database: string;
  readonly folder: string;
  readonly keep: BackupKeep;
}

interface BackupFile extends Dated {
  readonly path: string;
}

/** Space to keep free on the disk, in bytes, as notes on the same disk may be refused below it. */
export const reserveBytes = 64 * 2 ** 20;

/** Returns the automatic backups of `database` in a folder; none if it is missing. */
export const automaticBackupsIn = (folder: string, database: string): Promise<readonly BackupFile[]> =>
  backupsIn(folder, (name) => timeOf(database, name));

/** Returns the backups by `notes backup` beside `database`, if they have the default name. */
export const manualBackupsBeside = (database: string): Promise<readonly BackupFile[]> =>
  backupsIn(dirname(database), (name) => manualTimeOf(database, name));

/** Ignores links. */
async function backupsIn(folder: string, timeIn: (name: string) => number | undefined): Promise<readonly BackupFile[]> {
  const found: BackupFile[] = [];
  for (const name of await namesIn(folder)) {
    const at = timeIn(name);
    if (at === undefined) continue;
    const path = join(folder, name);
    const stats = await lstat(path);
    if (stats.isFile()) found.push({ path, at, bytes: stats.size });
  }
  return found;
}

/** Returns the newest backup that is not dated after `now`, in ms. */
export const newestOf = (backups: readonly BackupFile[], now: number): BackupFile | undefined =>
  backups.filter(({ at }) => at <= now).sort((a, b) => b.at - a.at)[0];

export const isDue = (newest: BackupFile | undefined, now: number): boolean =>
  newest === undefined || now - newest.at >= dayMs;

/** Makes a backup, and the folder if only that is missing. Throws `unavailable` with advice. */
export async function makeAutomatic(plan: AutomaticBackups, now: number, signal: AbortSignal): Promise<Backup> {
  const { database, folder } = plan;
  const temporary = `.notes-automatic-${basename(database)}`;
  try {
    await mkdirIfMissing(folder);
    await rm(join(folder, temporary), { recursive: true, force: true }); // left by a killed service
    await refuseSize(plan);
    return await backUp(database, join(folder, automaticName(database, now)), { signal, temporary });
  } catch (error) {
    throw refusalOf(error, folder);
  }
}

/** Removes expired backups and returns their paths. `now` is the time of the latest backup. */
export async function removeExpired({ database, folder, keep }: AutomaticBackups, now: number): Promise<string[]> {
  const removed: string[] = [];
  try {
    for (const { path } of expired(await automaticBackupsIn(folder, database), keep, now)) {
      await rm(path);
      removed.push(path);
    }
    return removed;
  } catch (error) {
    throw refusalOf(error, folder);
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw refusalOf(error, folder);
  }
}

async function mkdirIfMissing(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
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
  const code = codeOf(error);
  if (error instanceof NoteError || code === '') return error;
  const remedy = 'Let the user that runs the service write to it, or name another folder in BACKUP_DIR';
  return new NoteError('unavailable', `${folder} cannot be used (${code}). ${remedy}`, { cause: error });
}
