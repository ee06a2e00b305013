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

/** What stands behind the name of a database in the names of its files: SQLite's own, our lock, the address of a service. */
const suffixes = ['', '-wal', '-shm', '-journal', '.lock', '.url'];

/** Whether `target` is a file of the database, or stands where one will: it need not be there. */
export function belongsTo(database: string, target: string): boolean {
  const [real, wanted] = [realPathOf(database), realPathOf(target)];
  return suffixes.some((suffix) => wanted === real + suffix || isSameFile(target, real + suffix));
}

/** As `belongsTo`, of whichever SQLite database is there: the one that a service uses is known to that service alone. */
export function belongsToAny(target: string): boolean {
  const wanted = realPathOf(target);
  return suffixes.some((suffix) => wanted.endsWith(suffix) && isSqlite(wanted.slice(0, wanted.length - suffix.length)));
}

export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

/** In bytes; 0 of what is not there. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Whatever links lead to `path`. Of what is not there yet: in the real path of its folder. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(resolve(path));
    return folder === resolve(path) ? folder : join(realPathOf(folder), basename(path));
  }
}

/** Gives `file` to the owner of the database, whom a command that root runs would lock out otherwise. */
export function keepOwner(path: string, file: string): void {
  const { uid, gid } = statSync(existsSync(path) ? path : dirname(path));
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

/** What is opened with the database, and written to. */
const openedWith = ['-wal', '-shm', '-journal', '.lock'];

/**
 * Throws `unavailable` for what is not a plain file of a trusted owner. Others may have put it into a folder that they can
 * write to: a link leads to another file, and what a stranger owns may change at any time.
 */
export function refusePlanted(path: string): void {
  const owners = trustedOwners(path);
  for (const file of openedWith.map((suffix) => path + suffix)) {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    const fault = stat && plantedFault(stat, owners);
    if (fault !== undefined) throw new NoteError('unavailable', `${file} ${fault}, or remove it if a stranger left it`);
  }
}

/** The numbers of the users whose files beside a database are believed: our own, its owner's and root's. */
export function trustedOwners(path: string): readonly number[] {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid ?? 0;
  return [process.getuid?.() ?? owner, owner, 0];
}

/** Why a file is not believed, and what to do with it. */
export function plantedFault(stat: Stats, owners: readonly number[]): string | undefined {
  if (stat.isSymbolicLink()) return 'is a symbolic link. Put the file itself there';
  if (!stat.isFile()) return 'is not a file. Put the file itself there';
  if (stat.nlink > 1) return 'has a second name (a hard link). Remove the other one';
  if (!owners.includes(stat.uid)) return `belongs to user ${stat.uid}. Give it to the owner of the database`;
  return undefined;
}

/** The log of earlier versions (0.1.0), which held notes that SQLite did not have yet. */
const earlierLog = '-redo';
/** Bytes in front of the notes in it; all of them are zero when it holds none. */
const earlierHeadBytes = 4;

/** What to say of the log of an earlier version that holds notes; undefined where there is none that does. */
export function earlierLogFault(path: string): string | undefined {
  const file = path + earlierLog;
  if (!existsSync(file) || readHead(file, earlierHeadBytes).every((byte) => byte === 0)) return undefined;
  const remedy = `start and stop version 0.1.0 once, which stores them, or remove ${file} if they are not wanted`;
  return `the log beside it (${earlierLog}) holds notes of an earlier version: ${remedy}`;
}

/** Removes the log that an earlier version left when it ended; throws `unavailable` where it holds notes. */
export function refuseEarlierLog(path: string): void {
  const fault = earlierLogFault(path);
  if (fault !== undefined) throw new NoteError('unavailable', fault);
  rmSync(path + earlierLog, { force: true });
}

/** By which SQLite itself knows its files: https://www.sqlite.org/fileformat.html#the_database_header */
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
