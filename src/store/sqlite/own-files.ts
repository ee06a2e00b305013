import { closeSync, existsSync, openSync, readdirSync, readSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { NoteError } from '../../domain/error.ts';

/** What stands behind the name of a database in the names of its files: SQLite's own, our lock, the address of a service. */
const suffixes = ['', '-wal', '-shm', '-journal', '.lock', '.url'];

/** The backups that `notes backup` names itself, by the time; the newest last. */
const backupName = /^notes-\d{8}T\d{6}Z\.db$/;

/** The names of the backups in a folder, the newest last. */
export const backupsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => backupName.test(name))
    .sort();

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

/** Also of what is not there yet, in a folder that is. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(resolve(path));
    return folder === resolve(path) ? folder : join(realPathOf(folder), basename(path));
  }
}

/** The log of earlier versions (0.1.0), which held notes that SQLite did not have yet. */
const earlierLog = '-redo';
/** Bytes in front of the notes in it; all of them are zero when it holds none. */
const earlierHeadBytes = 4;

/** Removes the log that an earlier version left when it ended; throws `unavailable` where it holds notes. */
export function refuseEarlierLog(path: string): void {
  const file = path + earlierLog;
  if (!existsSync(file)) return;
  if (readHead(file, earlierHeadBytes).some((byte) => byte !== 0)) {
    const remedy = `start and stop version 0.1.0 once, which stores them, or remove ${file} if they are not wanted`;
    throw new NoteError(
      'unavailable',
      `the log beside it (${earlierLog}) holds notes of an earlier version: ${remedy}`,
    );
  }
  rmSync(file);
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
