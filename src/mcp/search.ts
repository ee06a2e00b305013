import type { Note } from '../domain/note.ts';
import { matches, nearMatches, search } from '../domain/search.ts';
import type { PortableStore } from '../domain/store.ts';

/** The best notes for a query, and how many there are in all. */
export interface Found {
  readonly notes: readonly Note[];
  readonly total: number;
}

const byNewest = (a: Note, b: Note) => (a.updatedAt < b.updatedAt ? 1 : -1);

/** Searches notes as they come and keeps the best alone; of equally good ones, the newest. */
export async function findBest(
  notes: ReturnType<PortableStore['scan']>,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<Found> {
  let best: readonly Note[] = [];
  let total = 0;
  for await (const some of notes) {
    const hits = search(some, query);
    const [hit] = hits;
    if (hit === undefined) continue;
    const isBetter = best[0] !== undefined && holds(hit, query) && !holds(best[0], query);
    const isWorse = best[0] !== undefined && holds(best[0], query) && !holds(hit, query);
    if (isWorse) continue;
    total = (isBetter ? 0 : total) + hits.length;
    best = search([...(isBetter ? [] : best), ...hits].sort(byNewest), query).slice(0, limit);
  }
  return { notes: best, total };
}

/** Where in the content a query is met first; 0 where it is met in the title alone. */
export function placeIn(note: Note, query: string): number {
  const find = holds(note, query) ? matches : nearMatches;
  return find(note.content, query, 1)[0]?.start ?? 0;
}

/** Whether a note that was found holds every word as it was typed, and not with a mistake. */
const holds = ({ title, content }: Note, query: string) =>
  query
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => matches(title, word, 1).length + matches(content, word, 1).length > 0);
