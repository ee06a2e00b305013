import type { SearchRequest } from '../../core/request-parameters.ts';
import { searchBatchesForBestNotes } from '../search/best-notes.ts';
import type { SearchQueue } from '../search/search-queue.ts';
import { createExcerptsUpToLimit, type Excerpt } from '../search/search-results-json.ts';
import { maxResponseCharacters } from './mcp-responses.ts';
import type { McpStore } from './mcp-store.ts';

/** The result has excerpts of the best notes, as many as fit into a response. */
interface FoundNotes {
  readonly notes: readonly Excerpt[];
  readonly total: number;
  readonly truncated: boolean;
}

type SearchableStore = Pick<McpStore, 'scan' | 'search'>;

export type FindNotes = (store: SearchableStore, wanted: SearchRequest, signal?: AbortSignal) => Promise<FoundNotes>;

/** Creates a search of the service's store, on another thread. */
export function createQueuedSearch(searches: Pick<SearchQueue, 'search'>): FindNotes {
  return async (_store, wanted, signal) => {
    const { json, count, total } = await searches.search(
      { ...wanted, excerptCharacters: maxResponseCharacters },
      signal,
    );
    return { notes: JSON.parse(new TextDecoder().decode(json)), total, truncated: count < total };
  };
}

/** Searches by the store's own search if it has one, or else reads all notes. */
export const searchStoreForExcerpts: FindNotes = async (store, wanted) => {
  const { query, filter, limit } = wanted;
  const found =
    (await store.search?.(query, { ...filter, limit })) ??
    (await searchBatchesForBestNotes(store.scan(filter), wanted));
  const notes = createExcerptsUpToLimit(found.notes, query, maxResponseCharacters);
  return { notes, total: found.total, truncated: notes.length < found.total };
};
