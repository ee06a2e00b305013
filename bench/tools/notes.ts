/** The notes that are measured with: those of the tests, exactly 20 of them in the list of W1. */
import type { NoteDraft } from '../../src/core/note.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { createCorpus } from '../../test/support/data/corpus.ts';

export const smallListPath = '/api/notes?category=notes&group=third&archived=false';
export const smallListIds = Array.from({ length: 20 }, (_, n) => n * 50 + 1);

/** Creates `count` drafts, always the same ones. Stored in this order, those of the small list get `smallListIds`. */
export function createDrafts(count: number): NoteDraft[] {
  return createCorpus(count).map((draft, index) => {
    if (smallListIds.includes(index + 1)) return { ...draft, category: 'notes', group: 'third' };
    const isInSmallList = draft.category === 'notes' && draft.group === 'third';
    return isInSmallList ? { ...draft, group: 'fourth' } : draft;
  });
}

const maxConcurrentCreates = 1_000;

/** Stores `count` notes in the new file `path`, quicker than through the service. */
export async function createStoreWithNotes(
  path: string,
  count: number,
  draftAt: (index: number) => NoteDraft,
): Promise<void> {
  await using store = await openSqlite({ path });
  for (let from = 0; from < count; from += maxConcurrentCreates) {
    const indexes = Array.from({ length: Math.min(maxConcurrentCreates, count - from) }, (_, n) => from + n);
    await Promise.all(indexes.map((index) => store.create(draftAt(index))));
  }
}
