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

type Batches = AsyncGenerator<readonly Note[], void, void>;

/**
 * Yields the versions of one note, or of all, in batches. `read` returns the first versions of a range, at least one if
 * there is any. Versions never change, so that no snapshot is needed.
 */
export async function* versionsInBatches(
  read: (range: VersionsRange) => Promise<readonly Note[]>,
  id?: number,
  limit = Number.MAX_SAFE_INTEGER,
): Batches {
  let end = { id: id ?? Number.MAX_SAFE_INTEGER, updatedAt: Number.MAX_SAFE_INTEGER };
  for (let left = limit; left > 0; ) {
    const some = await read({ end, lowestId: id ?? 1, limit: Math.min(left, maxRead) });
    const last = some.at(-1);
    if (last === undefined) return;
    yield some;
    end = { id: last.id, updatedAt: Date.parse(last.updatedAt) };
    left -= some.length;
  }
}

/** Yields the versions of one note. `get` throws if there is no such note; it is asked if there are no versions. */
export async function* versionsOfNote(versions: Batches, get: () => Promise<Note>): Batches {
  let hasVersions = false;
  for await (const some of versions) {
    hasVersions = true;
    yield some;
  }
  if (!hasVersions) await get();
}
