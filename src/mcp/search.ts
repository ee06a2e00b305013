import type { Note, NoteFilter } from '../domain/note.ts';
import { holdsEveryWord, matches, nearMatches, search } from '../domain/search.ts';
import { newestFirst } from '../domain/sort.ts';
import { excerpt, maxCharacters, part } from './text.ts';

const max = { title: 200, excerpt: 300 };

/** What is looked for, and how many notes are shown of what is found. */
export interface Wanted {
  readonly query: string;
  readonly limit: number;
}

/** What a search shows of the best notes, as many as fit. */
export interface FoundNotes {
  readonly notes: readonly ReturnType<typeof foundNote>[];
  readonly total: number;
  readonly truncated: boolean;
}

/** Searches the notes that match a filter. */
export type FindNotes = (filter: NoteFilter, wanted: Wanted) => Promise<FoundNotes>;

/** Searches notes as they come. */
export async function findNotes(notes: AsyncIterable<readonly Note[]>, wanted: Wanted): Promise<FoundNotes> {
  const found = await findBest(notes, wanted);
  const shown = found.notes.map((note) => foundNote(note, wanted.query));
  while (JSON.stringify(shown).length > maxCharacters) shown.pop();
  return { notes: shown, total: found.total, truncated: shown.length < found.total };
}

function foundNote(note: Note, query: string) {
  const { id, category, group, archived, updatedAt } = note;
  const start = Math.max(0, offsetIn(note, query) - max.excerpt / 4);
  const title = part(note.title, max.title);
  return { id, title, category, group, archived, updatedAt, excerpt: excerpt(note.content, max.excerpt, start) };
}

/** The best notes for a query, and how many there are in all. */
export interface Found {
  readonly notes: readonly Note[];
  readonly total: number;
}

/** Searches notes as they come and keeps the best alone; of equally good ones, the newest. */
export async function findBest(notes: AsyncIterable<readonly Note[]>, { query, limit }: Wanted): Promise<Found> {
  let best: readonly Note[] = [];
  let total = 0;
  for await (const some of notes) {
    const hits = search(some, query);
    const [hit] = hits;
    if (hit === undefined) continue;
    const isBetter = best[0] !== undefined && holdsEveryWord(hit, query) && !holdsEveryWord(best[0], query);
    const isWorse = best[0] !== undefined && holdsEveryWord(best[0], query) && !holdsEveryWord(hit, query);
    if (isWorse) continue;
    total = (isBetter ? 0 : total) + hits.length;
    best = search([...(isBetter ? [] : best), ...hits].sort(newestFirst), query).slice(0, limit);
  }
  return { notes: best, total };
}

/** Where in the content a query is met first; 0 where it is met in the title alone. */
export function offsetIn(note: Note, query: string): number {
  const find = holdsEveryWord(note, query) ? matches : nearMatches;
  return find(note.content, query, 1)[0]?.start ?? 0;
}
