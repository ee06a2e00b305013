import type { SearchRequest } from '../../core/parse.ts';
import { findBest } from '../search/best.ts';
import { type Excerpt, excerptsOf } from '../search/search-answer.ts';
import type { Searches } from '../search/searches.ts';
import { type McpStore, maxCharacters } from './answer.ts';

/** Excerpts of the best notes, as many as fit. */
interface FoundNotes {
  readonly notes: readonly Excerpt[];
  readonly total: number;
  readonly truncated: boolean;
}

type Searched = Pick<McpStore, 'scan' | 'search'>;

export type FindNotes = (store: Searched, wanted: SearchRequest, signal?: AbortSignal) => Promise<FoundNotes>;

/** Searches on another thread. */
export function findOnThread(searches: Pick<Searches, 'find'>): FindNotes {
  return async (_store, wanted, signal) => {
    const { json, count, total } = await searches.find({ ...wanted, excerptCharacters: maxCharacters }, signal);
    return { notes: JSON.parse(new TextDecoder().decode(json)), total, truncated: count < total };
  };
}

/** Uses the store's own search, or reads the notes. */
export const findInStore: FindNotes = async (store, wanted) => {
  const { query, filter, limit } = wanted;
  const found = (await store.search?.(query, { ...filter, limit })) ?? (await findBest(store.scan(filter), wanted));
  const notes = excerptsOf(found.notes, query, maxCharacters);
  return { notes, total: found.total, truncated: notes.length < found.total };
};
