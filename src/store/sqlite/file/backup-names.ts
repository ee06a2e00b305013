import { readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** Formats a time for file names: 20260131T120000Z. */
export const stampOf = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** Default names of `notes backup`. They sort by time. */
const backupName = /^notes-\d{8}T\d{6}Z\.db$/;

/** Names of the backups in a folder, newest last. */
export const backupsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => backupName.test(name))
    .sort();

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

/** Advice for a damaged database, with the newest backup beside it, if any. */
export const restoreAdvice = (path: string): string => `Restore a backup with "notes restore"${newestBeside(path)}`;

function newestBeside(path: string): string {
  const folder = dirname(path);
  const automatic = join(folder, automaticFolder);
  const found = [
    ...namesIn(folder)
      .filter((name) => backupName.test(name))
      .map((name) => ({ file: join(folder, name), at: name.replaceAll(/\D/g, '') })),
    ...namesIn(automatic)
      .filter((name) => timeOf(path, name) !== undefined)
      .map((name) => ({ file: join(automatic, name), at: name.slice(baseOf(path).length).replaceAll(/\D/g, '') })),
  ];
  const [newest] = found.sort((a, b) => b.at.localeCompare(a.at));
  return newest === undefined ? '' : `: the newest beside it is ${newest.file}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
