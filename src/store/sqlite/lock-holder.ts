import { readFileSync, statSync } from 'node:fs';

const noThrow = { throwIfNoEntry: false } as const;

/**
 * A lock of a process on a range of bytes, such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:1052 120 120`. A range without
 * an end has `EOF` instead of the last number.
 */
const lockLine = /POSIX\s+ADVISORY\s+(READ|WRITE)\s+(\d+)\s+[\da-f]+:[\da-f]+:(\d+)\s+(\d+)/g;

/** Where readers lock the shared memory: https://www.sqlite.org/walformat.html#wal_locks */
const firstReadByte = 123;
const lastReadByte = 127;

/**
 * Finds the program that writes to a database, or that reads from its log, such as "sqlite3 (process 4711)". Undefined
 * if there is none, and on systems other than Linux.
 */
export function findLockHolder(path: string, role: 'reader' | 'writer'): string | undefined {
  try {
    const files = role === 'reader' ? [`${path}-shm`] : [path, `${path}-shm`, `${path}.lock`];
    const inodes = files.flatMap((file) => statSync(file, noThrow)?.ino ?? []);
    for (const [, mode, pid, inode, first] of readFileSync('/proc/locks', 'utf8').matchAll(lockLine)) {
      const isReading = Number(first) >= firstReadByte && Number(first) <= lastReadByte;
      const hasRole = role === 'reader' ? isReading : mode === 'WRITE';
      if (hasRole && inodes.includes(Number(inode)) && Number(pid) > 0 && Number(pid) !== process.pid)
        return `${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (process ${pid})`;
    }
    return undefined;
  } catch {
    return undefined; // not Linux, or it has ended
  }
}
