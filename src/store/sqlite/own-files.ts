import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** What stands behind the name of a database in the names of its files: SQLite's own, our log, our lock, the address of a service. */
const suffixes = ['', '-wal', '-shm', '-redo', '-journal', '.lock', '.url'];

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

/** By which SQLite itself knows its files: https://www.sqlite.org/fileformat.html#the_database_header */
const magic = 'SQLite format 3\0';

function isSqlite(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const fd = openSync(path, 'r');
  try {
    const head = Buffer.alloc(magic.length);
    readSync(fd, head);
    return head.toString('latin1') === magic;
  } finally {
    closeSync(fd);
  }
}
