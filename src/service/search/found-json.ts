import type { SearchRequest } from '../../core/parse.ts';
import { type Found, searchLimits } from '../../core/store.ts';
import { excerptsOf } from './excerpts.ts';

export interface SearchTask extends SearchRequest {
  /** Returns excerpts instead of notes, with at most this many characters of JSON. */
  readonly excerptCharacters?: number;
}

/** The best notes or excerpts as a JSON array, their count, and the number of all matches. */
export interface FoundJson {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly total: number;
}

/** The first notes that fit into an answer, at least one. */
export function foundJson({ notes, total }: Found, { query, excerptCharacters }: SearchTask): FoundJson {
  const shown = excerptCharacters === undefined ? notes : excerptsOf(notes, query, excerptCharacters);
  const texts: string[] = [];
  let bytes = '[]'.length;
  for (const note of shown) {
    const text = JSON.stringify(note);
    bytes += Buffer.byteLength(text) + ','.length;
    if (bytes > searchLimits.bytes && texts.length > 0) break;
    texts.push(text);
  }
  return { json: new TextEncoder().encode(`[${texts.join()}]`), count: texts.length, total };
}
