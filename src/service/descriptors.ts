import { readdirSync, readFileSync } from 'node:fs';

/** Number of open file descriptors; undefined where unknown: only Linux has /proc. */
export function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1; // without the one that reads the folder
  } catch {
    return undefined;
  }
}

/** Limit of open file descriptors; Infinity where unknown: only Linux has /proc. */
export function maxDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
