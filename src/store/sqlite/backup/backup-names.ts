import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** A backup that is named by the time `at` which it was begun, in ms since 1970. */
export interface BackupFile {
  readonly path: string;
  readonly at: number;
  readonly bytes: number;
}

/** UTC in names of files: 2026-01-31T12-00-00Z. */
const timeText = (ms: number) => new Date(ms).toISOString().replaceAll(':', '-').replace(/\.\d+/, '');

/** Returns a path named by the time `at`, in ms, that no file has: a later one of the same second gets `-2` and so on. */
export function timedPath(start: string, at: number, end = ''): string {
  for (let count = 1; ; count++) {
    const path = `${start}${timeText(at)}${count === 1 ? '' : `-${count}`}${end}`;
    if (!existsSync(path)) return path;
  }
}

const baseOf = (database: string) => basename(database, extname(database));

/** Path of a new backup begun at `at`, in ms: `notes-2026-01-31T12-00-00Z.db` for `notes.db`. */
export const backupPath = (database: string, folder: string, at: number): string =>
  timedPath(join(folder, `${baseOf(database)}-`), at, '.db');

const backupName = /^(.+)-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z(?:-(\d{1,3}))?\.db$/s;

/** Returns when the backup with this name was begun, in ms: later ones of a second count as 1 ms each. */
export function backupTimeOf(database: string, name: string): number | undefined {
  const [, base, day, time, count = 1] = backupName.exec(name) ?? [];
  const at = Date.parse(`${day}T${time?.replaceAll('-', ':')}Z`);
  if (base !== baseOf(database) || Number.isNaN(at) || timeText(at) !== `${day}T${time}Z`) return undefined;
  return at + Number(count) - 1;
}

/** Returns the backups of `database` in a folder; none if it is missing. Ignores links. */
export function backupsIn(folder: string, database: string): readonly BackupFile[] {
  const found: BackupFile[] = [];
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const at = backupTimeOf(database, name);
    if (at === undefined) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) found.push({ path, at, bytes: stats.size });
  }
  return found;
}

export const newestOf = (backups: readonly BackupFile[], now: number): BackupFile | undefined =>
  backups.filter(({ at }) => at <= now).sort((a, b) => b.at - a.at)[0];

export function restoreAdvice(path: string): string {
  const newest = newestBackup(path);
  return `Restore a backup with "notes restore"${newest === undefined ? '' : `: the newest beside it is ${newest}`}`;
}

/** Path of the newest backup beside a database, or in `backups` beside it, the default folder as in config.ts. */
export function newestBackup(path: string): string | undefined {
  const folder = dirname(path);
  try {
    const backups = [folder, join(folder, 'backups')].flatMap((place) => backupsIn(place, path));
    return newestOf(backups, Number.POSITIVE_INFINITY)?.path;
  } catch {
    return undefined; // a folder that cannot be read
  }
}
