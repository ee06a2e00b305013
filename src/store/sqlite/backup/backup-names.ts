import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** A backup. Its name tells the time `at` which it was begun, in ms since 1970. */
export interface BackupFile {
  readonly path: string;
  readonly at: number;
  readonly bytes: number;
}

/** Formats a time for names of files, in UTC: `2026-01-31T12-00-00Z`. */
const formatFileTime = (ms: number) => new Date(ms).toISOString().replaceAll(':', '-').replace(/\.\d+/, '');

/**
 * Finds a path for a new file, from a beginning, the time `at` in ms, and an ending. If such a file exists, appends
 * `-2` and so on to the time.
 */
export function getFreeTimedPath(start: string, at: number, end = ''): string {
  for (let count = 1; ; count++) {
    const path = `${start}${formatFileTime(at)}${count === 1 ? '' : `-${count}`}${end}`;
    if (!existsSync(path)) return path;
  }
}

const getBaseName = (database: string) => basename(database, extname(database));

/** Finds a path for a new backup begun at `at`, in ms: `notes-2026-01-31T12-00-00Z.db` for `notes.db`. */
export const getFreeBackupPath = (database: string, folder: string, at: number): string =>
  getFreeTimedPath(join(folder, `${getBaseName(database)}-`), at, '.db');

const backupName = /^(.+)-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z(?:-(\d{1,3}))?\.db$/s;

/**
 * Parses the time from the name of a backup of `database`, in ms since 1970. The second and third of one second are 1
 * and 2 ms later. Undefined for other names.
 */
export function tryParseBackupTime(database: string, name: string): number | undefined {
  const [, base, day, time, count = 1] = backupName.exec(name) ?? [];
  const at = Date.parse(`${day}T${time?.replaceAll('-', ':')}Z`);
  if (base !== getBaseName(database) || Number.isNaN(at) || formatFileTime(at) !== `${day}T${time}Z`) return undefined;
  return at + Number(count) - 1;
}

/** Lists the backups of `database` in a folder; none if the folder is missing. Ignores links. */
export function findBackupsUnsorted(folder: string, database: string): readonly BackupFile[] {
  const backups: BackupFile[] = [];
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const at = tryParseBackupTime(database, name);
    if (at === undefined) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) backups.push({ path, at, bytes: stats.size });
  }
  return backups;
}

/** Finds the newest of the backups that were begun before `now`, in ms since 1970. */
export const findNewestBackupUntil = (backups: readonly BackupFile[], now: number): BackupFile | undefined =>
  backups.filter(({ at }) => at <= now).sort((a, b) => b.at - a.at)[0];

/** Advises to restore a backup of the database at `path`, and names the newest one if it is found. */
export function formatRestoreAdvice(path: string): string {
  const newest = findNewestBackupPathNear(path);
  return `Restore a backup with "notes restore"${newest === undefined ? '' : `: the newest beside it is ${newest}`}`;
}

/**
 * Finds the path of the newest backup in the folder of a database, or in its subfolder `backups`, which is the default.
 */
export function findNewestBackupPathNear(path: string): string | undefined {
  const folder = dirname(path);
  try {
    const backups = [folder, join(folder, 'backups')].flatMap((searched) => findBackupsUnsorted(searched, path));
    return findNewestBackupUntil(backups, Number.POSITIVE_INFINITY)?.path;
  } catch {
    return undefined; // a folder that cannot be read
  }
}
