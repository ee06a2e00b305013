import {
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { NoteError } from '../../../domain/error.ts';

/** Suffixes of the files of a database: SQLite's own, our lock, the address of a service. */
const suffixes = ['', '-wal', '-shm', '-journal', '.lock', '.url'];

/** The database at its real path and the files beside it, which may be missing. */
export const filesOf = (path: string): readonly string[] => suffixes.map((suffix) => path + suffix);

/** Whether `target` is, or would become, a file of the database. It need not exist. */
export function belongsTo(database: string, target: string): boolean {
  const wanted = realPathOf(target);
  return filesOf(realPathOf(database)).some((file) => wanted === file || isSameFile(target, file));
}

/** Like `belongsTo`, for any SQLite database, since only a service knows which one it uses. */
export function belongsToAny(target: string): boolean {
  const wanted = realPathOf(target);
  return suffixes.some((suffix) => wanted.endsWith(suffix) && isSqlite(wanted.slice(0, wanted.length - suffix.length)));
}

export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

/** Size in bytes; 0 if the file is missing. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Resolves links. For a missing file, resolves its folder. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(resolve(path));
    return folder === resolve(path) ? folder : join(realPathOf(folder), basename(path));
  }
}

/** Gives `file` to the owner of the database, who would be locked out if root created it. */
export function keepOwner(path: string, file: string): void {
  const { uid, gid } = statSync(existsSync(path) ? path : dirname(path));
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

/** The log of version 0.1.0, which contained notes that SQLite did not have yet. */
const earlierLog = '-redo';
/** Size of its header in bytes; all zero if it contains no notes. */
const earlierHeadBytes = 4;

/** Files that are opened with the database. */
const openedWith = ['-wal', '-shm', '-journal', '.lock', earlierLog];

/**
 * Throws `unavailable` for a file beside the database that is not a plain file of a trusted owner. Others may have
 * planted it in a shared folder: a link leads to another file, and a stranger may change theirs at any time.
 */
export function refusePlanted(path: string): void {
  const owners = trustedOwners(path);
  for (const file of openedWith.map((suffix) => path + suffix)) {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    const fault = stat && plantedFault(stat, owners);
    if (fault !== undefined)
      throw new NoteError('unavailable', `${file} ${fault}, or remove it if someone else left it`);
  }
}

/** Ids of users whose files beside a database are trusted: the current user, its owner and root. */
export function trustedOwners(path: string): readonly number[] {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid ?? 0;
  return [process.getuid?.() ?? owner, owner, 0];
}

/** Whether it is a file of one of them. `stat` is that of a link itself, and undefined for a missing file. */
export const isTrustedFile = (stat: Stats | undefined, owners: readonly number[]): boolean =>
  stat?.isFile() === true && owners.includes(stat.uid);

/** Explains why a file that is opened with the database is not trusted, with a remedy. */
export function plantedFault(stat: Stats, owners: readonly number[]): string | undefined {
  if (stat.isSymbolicLink()) return 'is a symbolic link. Put the file itself there';
  if (!stat.isFile()) return 'is not a file. Put the file itself there';
  if (stat.nlink > 1) return 'has a second name (a hard link). Remove the other one';
  if (!owners.includes(stat.uid)) return `belongs to user ${stat.uid}. Give it to the owner of the database`;
  return undefined;
}

/**
 * Error text for a log of version 0.1.0 that contains notes; undefined if there is none. Call `refusePlanted` first.
 */
export function earlierLogFault(path: string): string | undefined {
  const file = path + earlierLog;
  if (!existsSync(file) || readHead(file, earlierHeadBytes).every((byte) => byte === 0)) return undefined;
  const remedy = `start and stop version 0.1.0 once, which stores them, or remove ${file} if they are not wanted`;
  return `the log beside it (${earlierLog}) holds notes of an earlier version: ${remedy}`;
}

/** Removes an empty log of version 0.1.0. Throws `unavailable` if it contains notes. */
export function refuseEarlierLog(path: string): void {
  const fault = earlierLogFault(path);
  if (fault !== undefined) throw new NoteError('unavailable', fault);
  rmSync(path + earlierLog, { force: true });
}

/** Header of SQLite files: https://www.sqlite.org/fileformat.html#the_database_header */
const magic = 'SQLite format 3\0';

function isSqlite(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  return readHead(path, magic.length).toString('latin1') === magic;
}

function readHead(path: string, length: number): Buffer {
  const fd = openSync(path, 'r');
  try {
    const head = Buffer.alloc(length);
    readSync(fd, head);
    return head;
  } finally {
    closeSync(fd);
  }
}
