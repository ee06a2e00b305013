import type { Note } from '../domain/note.ts';

/** How many versions of a note are kept, unless a setting says otherwise. */
export const defaultMaxVersions = 100;

/** How many versions, or about how many characters of them, are read at once: each may be as long as a note. */
const maxRead = 1_000;
export const maxReadChars = 1024 * 1024;

/** Versions to be read, in descending order of note and time. */
export interface VersionsRange {
  /** All lie below it: those of lower ids, and of this one those before a moment, in ms since 1970. */
  readonly end: { readonly id: number; readonly updatedAt: number };
  readonly lowestId: number;
  readonly limit: number;
}

/** The first of the versions in a range, at least one where there is any. */
type ReadVersions = (range: VersionsRange) => Promise<readonly Note[]>;

const max = Number.MAX_SAFE_INTEGER;

/** Versions of one note, or of all, some at a time. None of them ever changes, so that no snapshot is held. */
export async function* versionsOf(
  read: ReadVersions,
  { id, limit = max }: { readonly id?: number; readonly limit?: number | undefined },
): AsyncGenerator<readonly Note[], void, void> {
  let end = { id: id ?? max, updatedAt: max };
  for (let left = limit; left > 0; ) {
    const some = await read({ end, lowestId: id ?? 1, limit: Math.min(left, maxRead) });
    const last = some.at(-1);
    if (last === undefined) return;
    yield some;
    end = { id: last.id, updatedAt: Date.parse(last.updatedAt) };
    left -= some.length;
  }
}
