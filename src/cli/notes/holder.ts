import { readFileSync, statSync } from 'node:fs';
import { NoteError } from '../../core/error.ts';

/** Adds the program that holds a lock on a database to an error that the lock has caused. Only for files on Linux. */
export function withHolder(error: unknown, location: string): unknown {
  if (!(error instanceof NoteError && error.code === 'busy')) return error;
  const path = location.replace(/^sqlite:/, '');
  const holder = holderOf(path);
  return holder === undefined ? error : error.reworded(`${error.message}. ${path} is locked by ${holder}`);
}

/** The program that is writing to a database, such as "sqlite3 (process 4711)". */
function holderOf(path: string): string | undefined {
  try {
    const inodes = [path, `${path}-shm`, `${path}.lock`].flatMap((file) => statSync(file, noThrow)?.ino ?? []);
    const locks = readFileSync('/proc/locks', 'utf8').matchAll(lockLine);
    const pids = [...locks].filter(({ 2: inode }) => inodes.includes(Number(inode))).map(({ 1: pid }) => Number(pid));
    const pid = pids.find((one) => one > 0 && one !== process.pid);
    return pid === undefined ? undefined : `${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (process ${pid})`;
  } catch {
    return undefined; // not Linux, or it has ended
  }
}

const noThrow = { throwIfNoEntry: false } as const;

/** An exclusive lock of a process, such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:1052 120 120`. */
const lockLine = /POSIX\s+ADVISORY\s+WRITE\s+(\d+)\s+[\da-f]+:[\da-f]+:(\d+)\s/g;
