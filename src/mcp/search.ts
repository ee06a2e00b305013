import { NoteError } from '../domain/error.ts';
import * as message from '../domain/message.ts';
import type { Found } from '../domain/store.ts';
import { findBest, type Wanted } from '../search/best.ts';
import { type Excerpt, excerptsOf } from '../search/excerpts.ts';
import type { Searches } from '../search/searches.ts';
import { Semaphore } from '../shared/semaphore.ts';
import { maxCharacters } from './answer.ts';
import type { McpStore } from './store.ts';

/** Excerpts of the best notes, as many as fit. */
interface FoundNotes {
  readonly notes: readonly Excerpt[];
  readonly total: number;
  readonly truncated: boolean;
}

type Searched = Pick<McpStore, 'scan' | 'search'>;

export type FindNotes = (store: Searched, wanted: Wanted, signal?: AbortSignal) => Promise<FoundNotes>;

/** Searches on another thread. */
export function findOnThread(searches: Pick<Searches, 'find'>): FindNotes {
  return async (_store, wanted, signal) => {
    const { json, count, total } = await searches.find({ ...wanted, excerptCharacters: maxCharacters }, signal);
    return { notes: JSON.parse(new TextDecoder().decode(json)), total, truncated: count < total };
  };
}

/** How long a search waits for its turn, in ms. */
const waitMs = 60_000;

/** Uses the store's own search, or reads the notes: one search at a time, yielding to other requests. */
export function findInStore(): FindNotes {
  const turns = new Semaphore({ max: 1, waitMs, refuse: () => new NoteError('busy', message.busy) });

  async function read(store: Searched, wanted: Wanted): Promise<Found> {
    const turn = await turns.acquire();
    try {
      return await findBest(leisurely(store.scan(wanted.filter)), wanted);
    } finally {
      turn.release();
    }
  }

  return async (store, wanted) => {
    const { query, filter, limit } = wanted;
    const found = (await store.search?.(query, { ...filter, limit })) ?? (await read(store, wanted));
    const notes = excerptsOf(found.notes, query, maxCharacters);
    return { notes, total: found.total, truncated: notes.length < found.total };
  };
}

async function* leisurely<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value, void, void> {
  for await (const value of values) {
    yield value;
    await new Promise(setImmediate);
  }
}
