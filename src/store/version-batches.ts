import type { Note } from '../core/note.ts';
import type { NoteStorage } from './note-storage.ts';

/** Limits of one read: versions, and approximate characters, as each version may be as long as a note. */
const maxVersionsPerRead = 1_000;
export const maxVersionCharsPerRead = 1024 * 1024;

interface VersionsOptions {
  /** The note whose versions are read; all notes if undefined. */
  readonly id?: number;
  readonly limit?: number | undefined;
}

/** Yields the versions of one note, or of all, in batches. Versions never change, so that no snapshot is needed. */
export async function* streamVersionsInBatches(
  storage: Pick<NoteStorage, 'readVersionsPage'>,
  { id, limit = Number.MAX_SAFE_INTEGER }: VersionsOptions = {},
): AsyncGenerator<readonly Note[], void, void> {
  let end = { id: id ?? Number.MAX_SAFE_INTEGER, updatedAt: Number.MAX_SAFE_INTEGER };
  for (let remaining = limit; remaining > 0; ) {
    const versions = await storage.readVersionsPage({
      end,
      lowestId: id ?? 1,
      limit: Math.min(remaining, maxVersionsPerRead),
    });
    const last = versions.at(-1);
    if (last === undefined) return;
    yield versions;
    end = { id: last.id, updatedAt: Date.parse(last.updatedAt) };
    remaining -= versions.length;
  }
}
