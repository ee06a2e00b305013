/** Fills stores of any size, quicker than through the service. */

import type { NoteDraft } from '../../src/core/note.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { isInSmallList, makeDrafts } from './corpus.ts';

const atOnce = 10_000;

/**
 * Stores `count` notes in the new file `path`, by the service's own store, and returns the ids of the small list. It
 * has the same notes at every count, which is a multiple of 1,000, at even distances.
 */
export async function createStore(path: string, count: number): Promise<number[]> {
  const drafts = makeDrafts(10_000);
  const small = drafts.filter(isInSmallList);
  const others = drafts.filter((draft) => !isInSmallList(draft));
  const distance = count / small.length;
  const draftAt = (n: number) => (n % distance === 0 ? small[n / distance] : others[n % others.length]);
  await using store = await openSqlite({ path });
  for (let from = 0; from < count; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - from) }, (_, n) => draftAt(from + n));
    await Promise.all(
      some.filter((draft): draft is NoteDraft => draft !== undefined).map((draft) => store.create(draft)),
    );
  }
  return small.map((_, n) => n * distance + 1);
}
