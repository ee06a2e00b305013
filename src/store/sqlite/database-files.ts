import { chownSync, closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Suffixes of the files of a database: SQLite's own, and our lock. */
const suffixes = ['', '-wal', '-shm', '-journal', '.lock'];

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
  const [a, b] = [one, other].map(identityOf);
  return a !== undefined && a === b;
}

export function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

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

/** Header of SQLite files: https://www.sqlite.org/fileformat.html#the_database_header */
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
