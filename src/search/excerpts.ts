import type { Note } from '../domain/note.ts';
import { holdsEveryWord, matches, nearMatches } from '../domain/search.ts';
import { excerpt, part } from '../shared/text.ts';

const max = { title: 200, excerpt: 300 };

/** What is shown of a note that was found. */
export type Excerpt = ReturnType<typeof excerptOf>;

/** As many excerpts of notes as their JSON fits into `maxCharacters`. */
export function excerptsOf(notes: readonly Note[], query: string, maxCharacters: number): readonly Excerpt[] {
  const shown: Excerpt[] = [];
  let characters = 2;
  for (const note of notes) {
    const next = excerptOf(note, query);
    characters += JSON.stringify(next).length + 1;
    if (characters > maxCharacters) break;
    shown.push(next);
  }
  return shown;
}

function excerptOf(note: Note, query: string) {
  const { id, category, group, archived, updatedAt } = note;
  const start = Math.max(0, offsetIn(note, query) - max.excerpt / 4);
  const title = part(note.title, max.title);
  return { id, title, category, group, archived, updatedAt, excerpt: excerpt(note.content, max.excerpt, start) };
}

/** Where in the content a query is met first; 0 where it is met in the title alone. */
export function offsetIn(note: Note, query: string): number {
  const find = holdsEveryWord(note, query) ? matches : nearMatches;
  return find(note.content, query, 1)[0]?.start ?? 0;
}
