import { lstat, mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { NoteError } from '../../../domain/error.ts';
import { codeOf, messageOf } from '../../../shared/thrown.ts';
import { automaticName, timeOf } from '../file/backup-names.ts';
import { trustedOwners } from '../file/own-files.ts';
import { type Backup, backUp } from './backup.ts';
import { type Dated, dayMs, expired, type Keep } from './retention.ts';

/** The backups that a service makes by itself, of the database at its real path. */
export interface AutomaticBackups {
  readonly database: string;
  readonly folder: string;
  readonly keep: Keep;
}

export interface AutomaticBackup extends Dated {
  readonly path: string;
}

/** What stays free on the disk of the backups, in bytes: below it, notes may be refused if they are there too. */
const reserveBytes = 64 * 2 ** 20;

/**
 * The automatic backups of `database` in a folder, none where it is missing. Links and what a stranger has put there do not
 * count.
 */
export async function automaticBackupsIn(folder: string, database: string): Promise<readonly AutomaticBackup[]> {
  const owners = trustedOwners(database);
  const found: AutomaticBackup[] = [];
  for (const name of await namesIn(folder)) {
    const at = timeOf(database, name);
    if (at === undefined) continue;
    const path = join(folder, name);
    const stats = await lstat(path);
    if (stats.isFile() && owners.includes(stats.uid)) found.push({ path, at, bytes: stats.size });
  }
  return found;
}

/** The newest that is not dated after `now`, in ms. */
export const newestOf = (backups: readonly AutomaticBackup[], now: number): AutomaticBackup | undefined =>
  backups.filter(({ at }) => at <= now).sort((a, b) => b.at - a.at)[0];

/** Whether another backup is to be made, a day after the newest one. */
export const isDue = (newest: AutomaticBackup | undefined, now: number): boolean =>
  newest === undefined || now - newest.at >= dayMs;

/** Makes a backup, and the folder if that alone is missing. Throws `unavailable`, saying what to do. */
export async function makeAutomatic(plan: AutomaticBackups, now: number, signal: AbortSignal): Promise<Backup> {
  const { database, folder } = plan;
  const temporary = `.notes-automatic-${basename(database)}`;
  try {
    await mkdirIfMissing(folder);
    await rm(join(folder, temporary), { recursive: true, force: true }); // of a service that was killed
    await refuseSize(plan);
    return await backUp(database, join(folder, automaticName(database, now)), { signal, temporary });
  } catch (error) {
    throw refusalOf(error, folder);
  }
}

/** Removes the backups that need not stay beside the one that was made at `now`, and returns their paths. */
export async function removeExpired({ database, folder, keep }: AutomaticBackups, now: number): Promise<string[]> {
  const removed: string[] = [];
  try {
    for (const { path } of expired(await automaticBackupsIn(folder, database), keep, now)) {
      await rm(path);
      removed.push(path);
    }
    return removed;
  } catch (error) {
    const reason = messageOf(error);
    throw new NoteError('unavailable', `Expired backups in ${folder} cannot be removed: ${reason}`, { cause: error });
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

/** A copy is about as large as the database. */
async function refuseSize({ database, folder, keep }: AutomaticBackups): Promise<void> {
  const [{ size }, disk] = await Promise.all([stat(database), statfs(folder)]);
  const takes = `A backup takes about ${mebibytes(size)}`;
  if (size > keep.maxBytes) {
    const limit = `all of them may take ${mebibytes(keep.maxBytes)}. Raise the size in BACKUP_KEEP`;
    throw new NoteError('unavailable', `${takes}, and ${limit}`);
  }
  const free = disk.bavail * disk.bsize;
  if (free - size >= reserveBytes) return;
  const room = `${mebibytes(free)} are free at ${folder}, of which ${mebibytes(reserveBytes)} stay free. Make room`;
  throw new NoteError('unavailable', `${takes}, and ${room}`);
}

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;

function refusalOf(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  if (error instanceof NoteError || code === '') return error;
  const remedy = 'Let the user that runs the service write to it, or name another folder in BACKUP_DIR';
  return new NoteError('unavailable', `${folder} cannot be used (${code}). ${remedy}`, { cause: error });
}
