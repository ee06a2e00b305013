import { chownSync, closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Suffixes of the files of a database: SQLite's own, and our lock. */
const databaseSuffixes = ['', '-wal', '-shm', '-journal', '.lock'];

/** Lists the paths of a database and of the files beside it. They may be missing. */
export const listDatabaseFiles = (path: string): readonly string[] => databaseSuffixes.map((suffix) => path + suffix);

/** Whether `path` is a file of the database, or would be one if it were created. */
export function isFileOfDatabase(path: string, database: string): boolean {
  const realPath = resolveRealPath(path);
  return listDatabaseFiles(resolveRealPath(database)).some((file) => realPath === file || isSameFile(path, file));
}

/** Whether `path` is a file of some SQLite database. Only a service knows which database it uses. */
export function isFileOfSqliteDatabase(path: string): boolean {
  const realPath = resolveRealPath(path);
  return databaseSuffixes.some(
    (suffix) => realPath.endsWith(suffix) && hasSqliteHeader(realPath.slice(0, realPath.length - suffix.length)),
  );
}

/** Whether two paths lead to one file that exists, by links or not. */
export function isSameFile(path: string, other: string): boolean {
  const identity = findFileIdentity(path);
  return identity !== undefined && identity === findFileIdentity(other);
}

/** Reads device and inode, by which a replaced file differs from the one before; undefined if it is missing. */
export function findFileIdentity(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Reads the size in bytes; 0 if the file is missing. */
export const readFileSizeOrZero = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Resolves symbolic links. Of a path that is missing, resolves the part that exists. */
export function resolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(resolve(path));
    return folder === resolve(path) ? folder : join(resolveRealPath(folder), basename(path));
  }
}

/** Makes the owner of the database the owner of `file` if this process is root: else the service could not open it. */
export function copyOwnerIfRoot(database: string, file: string): void {
  const { uid, gid } = statSync(existsSync(database) ? database : dirname(database));
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

/** Header of SQLite files: https://www.sqlite.org/fileformat.html#the_database_header */
const sqliteHeader = 'SQLite format 3\0';

function hasSqliteHeader(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const fd = openSync(path, 'r');
  try {
    const head = Buffer.alloc(sqliteHeader.length);
    readSync(fd, head);
    return head.toString('latin1') === sqliteHeader;
  } finally {
    closeSync(fd);
  }
}
