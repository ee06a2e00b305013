import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** Formats a time for file names: 20260131T120000Z. */
export const compactTime = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** Default name of a backup by `notes backup` begun at `at`, in ms: `notes-20260131T120000Z.db` for `notes.db`. */
export const manualName = (database: string, at: number): string => `${baseOf(database)}-${compactTime(at)}.db`;

/** Returns when the backup with this default name was begun, in ms; undefined for other names. */
export function manualTimeOf(database: string, name: string): number | undefined {
  const at = Date.parse(name.replace(/^.*-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/s, '$1-$2-$3T$4:$5:$6Z'));
  return Number.isNaN(at) || manualName(database, at) !== name ? undefined : at;
}

const baseOf = (database: string) => basename(database, extname(database));

/**
 * Returns the name of an automatic backup of `database` begun at `at`, in ms: `notes-2026-01-31T12-00-00Z.db` for
 * `notes.db`. Differs from all names of `notes backup`, so that backups of users are never removed.
 */
export const automaticName = (database: string, at: number): string =>
  `${baseOf(database)}-${new Date(at).toISOString().replaceAll(':', '-').replace(/\.\d+/, '')}.db`;

/** Returns when the automatic backup with this name was begun, in ms; undefined for other names. */
export function timeOf(database: string, name: string): number | undefined {
  const [, day = '', time = ''] = /(\d{4}-\d{2}-\d{2})T(\d{2}-\d{2}-\d{2})Z\.db$/.exec(name) ?? [];
  const at = Date.parse(`${day}T${time.replaceAll('-', ':')}Z`);
  return Number.isNaN(at) || automaticName(database, at) !== name ? undefined : at;
}

/** Folder of automatic backups beside the default database, as in config.ts. */
const automaticFolder = 'backups';

/** Advice for a damaged database, with the newest backup, if any. */
export function restoreAdvice(path: string): string {
  const newest = newestBackup(path);
  return `Restore a backup with "notes restore"${newest === undefined ? '' : `: the newest beside it is ${newest}`}`;
}

/** Path of the newest backup beside a database, or in its default folder; undefined if there is none. */
export function newestBackup(path: string): string | undefined {
  const folder = dirname(path);
  const automatic = join(folder, automaticFolder);
  const [newest] = [
    ...namesIn(folder).map((name) => ({ file: join(folder, name), at: manualTimeOf(path, name) ?? 0 })),
    ...namesIn(automatic).map((name) => ({ file: join(automatic, name), at: timeOf(path, name) ?? 0 })),
  ]
    .filter(({ file, at }) => at > 0 && lstatSync(file, { throwIfNoEntry: false })?.isFile())
    .sort((a, b) => b.at - a.at);
  return newest?.file;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
