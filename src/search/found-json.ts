import type { SearchRequest } from '../domain/parse.ts';
import type { Found } from '../domain/store.ts';
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

export function foundJson({ notes, total }: Found, { query, excerptCharacters }: SearchTask): FoundJson {
  const shown = excerptCharacters === undefined ? notes : excerptsOf(notes, query, excerptCharacters);
  return { json: new TextEncoder().encode(JSON.stringify(shown)), count: shown.length, total };
}
