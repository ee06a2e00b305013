/** Holds the folded texts of all notes and searches them. */
import { compareNewestFirst } from '../../core/note-order.ts';
import { type FoldedNote, foldNote, type Hits, listBestHits, rankHits, sortHitsByRank } from '../../core/search.ts';
import { MovedResult, serveWorkerMethods } from '../../core/workers/serve-worker.ts';
import { createIncrementalSearch, type TypedLine } from '../state/typed-search.ts';

declare const self: Worker;

/** Notes as they are sent: a few buffers and strings are copied much quicker than an object for each note. */
export interface NoteBatch {
  readonly ids: Float64Array<ArrayBuffer>;
  readonly updatedAt: readonly string[];
  /** Title and content of each note, separated by what no note contains. */
  readonly texts: string;
}

const textSeparator = '\0';

/** What a search found. Notes are named by their place among all that were sent, beginning with 0. */
export interface FoundPlaces {
  /** The words that were searched for. */
  readonly words: string;
  /** All hits: the best ones first, and the others in the order of the list until they are ranked, too. */
  readonly places: Uint32Array<ArrayBuffer>;
  readonly rankedCount: number;
}

interface SearchedNote extends FoldedNote {
  readonly id: number;
  readonly updatedAt: string;
  readonly place: number;
}

/** More than fit on a screen. */
const firstRankedCount = 200;

/** In ms. A key that is pressed meanwhile waits for it. */
const rankingSliceMs = 8;

const notesById = new Map<number, SearchedNote>();
let sentCount = 0;
let cachedSearch: ReturnType<typeof createIncrementalSearch<SearchedNote>> | undefined;
let lastFound: { readonly words: string; readonly hits: Hits<SearchedNote>; rankedCount: number } | undefined;

/** Notes with a known id replace those. */
function addNotes({ ids, updatedAt, texts }: NoteBatch): void {
  const parts = texts.split(textSeparator);
  const folded = Array.from(updatedAt, (_, index) =>
    foldNote({ title: parts[index * 2] ?? '', content: parts[index * 2 + 1] ?? '' }),
  );
  const neighbouring = moveTextsTogether(folded.map(({ text }) => text));
  folded.forEach(({ text, titleLength, typed }, index) => {
    const id = ids[index] ?? Number.NaN;
    notesById.set(id, {
      id,
      updatedAt: updatedAt[index] ?? '',
      place: sentCount++,
      text: neighbouring[index] ?? text,
      titleLength,
      typed,
    });
  });
  cachedSearch = undefined;
  lastFound = undefined;
}

const wideCharacter = /[\u0100-\uffff]/;

/**
 * Makes texts parts of long strings, as what lies side by side in memory is searched in half of the time. A wide
 * character doubles the memory of its whole string, so that texts without one get a string of their own.
 */
function moveTextsTogether(texts: readonly string[]): string[] {
  const moved: string[] = [];
  const { wide = [], narrow = [] } = Object.groupBy(texts.entries(), ([, text]) =>
    wideCharacter.test(text) ? 'wide' : 'narrow',
  );
  for (const group of [wide, narrow]) {
    const joined = group.map(([, text]) => text).join('');
    let end = 0;
    for (const [index, { length }] of group) {
      moved[index] = joined.slice(end, end + length);
      end += length;
    }
  }
  return moved;
}

/** Returns all hits, of which only the best are ranked. */
function search(line: TypedLine): MovedResult<FoundPlaces> {
  cachedSearch ??= createIncrementalSearch([...notesById.values()].sort(compareNewestFirst));
  const { words, hits } = cachedSearch(line);
  lastFound = { words, hits, rankedCount: 0 };
  return createFoundPlaces(words, hits, listBestHits(hits, firstRankedCount));
}

/** Ranks more hits of the last search. Returns all hits once all are ranked. */
function rankMoreHits(): MovedResult<FoundPlaces> | undefined {
  if (lastFound === undefined) return undefined;
  const { words, hits } = lastFound;
  for (const end = performance.now() + rankingSliceMs; lastFound.rankedCount < hits.notes.length; ) {
    if (performance.now() > end) return undefined;
    rankHits(hits, lastFound.rankedCount, lastFound.rankedCount + 200);
    lastFound.rankedCount += 200;
  }
  return createFoundPlaces(words, hits, sortHitsByRank(hits));
}

function createFoundPlaces(
  words: string,
  hits: Hits<SearchedNote>,
  ranked: readonly SearchedNote[],
): MovedResult<FoundPlaces> {
  const places = new Uint32Array(hits.notes.length);
  const isRanked = new Set(ranked);
  let end = 0;
  for (const { place } of ranked) places[end++] = place;
  if (end < places.length) for (const note of hits.notes) if (!isRanked.has(note)) places[end++] = note.place;
  return new MovedResult({ words, places, rankedCount: ranked.length }, [places.buffer]);
}

const methods = { addNotes, search, rankMoreHits };
export type SearchMethods = typeof methods;

serveWorkerMethods(self, methods);
