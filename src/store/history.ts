import type { Note } from '../core/note.ts';

/** Limits of one read: versions, and approximate characters, as each version may be as long as a note. */
const maxRead = 1_000;
export const maxReadChars = 1024 * 1024;

/** Versions to read, in descending order of note and time. */
export interface VersionsRange {
  /** Exclusive upper bound: versions of lower ids, and those of this id before a time in ms since 1970. */
  readonly end: { readonly id: number; readonly updatedAt: number };
  readonly lowestId: number;
  readonly limit: number;
}

/**
 * Yields the versions of one note, or of all, in batches. `read` returns the first versions of a range, at least one if
 * there is any; versions never change, so that no snapshot is needed. `check` throws if there is no such note.
 */
export async function* versionsInBatches(
  read: (range: VersionsRange) => Promise<readonly Note[]>,
  { id, limit = Number.MAX_SAFE_INTEGER, check }: VersionsOptions = {},
): AsyncGenerator<readonly Note[], void, void> {
  let end = { id: id ?? Number.MAX_SAFE_INTEGER, updatedAt: Number.MAX_SAFE_INTEGER };
  for (let left = limit; left > 0; ) {
    const some = await read({ end, lowestId: id ?? 1, limit: Math.min(left, maxRead) });
    const last = some.at(-1);
    if (last === undefined) break;
    yield some;
    end = { id: last.id, updatedAt: Date.parse(last.updatedAt) };
    left -= some.length;
  }
  if (end.updatedAt === Number.MAX_SAFE_INTEGER) await check?.();
}

interface VersionsOptions {
  readonly id?: number;
  readonly limit?: number | undefined;
  readonly check?: () => Promise<unknown>;
}
