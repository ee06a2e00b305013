import type { Note } from '../../core/note.ts';
import { parseQuery } from '../../core/query.ts';
import { holdsEveryWord, matches, nearMatches } from '../../core/search.ts';
import { excerpt, part } from '../../core/tools/text.ts';

const max = { title: 200, excerpt: 300 };

/** A search result without the whole content. */
export type Excerpt = ReturnType<typeof excerptOf>;

/** Excerpts around the words of a query, as many as fit into `maxCharacters` of JSON. */
export function excerptsOf(notes: readonly Note[], query: string, maxCharacters: number): readonly Excerpt[] {
  const { words } = parseQuery(query);
  const shown: Excerpt[] = [];
  let characters = 2;
  for (const note of notes) {
    const next = excerptOf(note, words);
    characters += JSON.stringify(next).length + 1;
    if (characters > maxCharacters) break;
    shown.push(next);
  }
  return shown;
}

function excerptOf(note: Note, words: string) {
  const { id, category, group, archived, updatedAt } = note;
  const start = Math.max(0, offsetIn(note, words) - max.excerpt / 4);
  const title = part(note.title, max.title);
  return { id, title, category, group, archived, updatedAt, excerpt: excerpt(note.content, max.excerpt, start) };
}

/** The first offset of a word in the content; 0 if only the title matches. */
export function offsetIn(note: Note, words: string): number {
  const find = holdsEveryWord(note, words) ? matches : nearMatches;
  return find(note.content, words, 1)[0]?.start ?? 0;
}
