import { readdirSync, readFileSync } from 'node:fs';

/** How many descriptors this process has open; undefined where that is not known, as only Linux has a folder of them. */
export function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1; // one is of the reading itself
  } catch {
    return undefined;
  }
}

/** How many descriptors this process may open; Infinity where that is not known, as only Linux has it in a file. */
export function maxDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
