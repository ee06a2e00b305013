/** Finds the places of a text that match a search best: where several of its words stand together. */
import { fold, type Match } from './folding.ts';
import { isFoldedWordCharacterAt } from './scan-text.ts';

/** Matches with nothing but spaces or punctuation between them, of different words. */
export interface MatchRun extends Match {
  readonly wordCount: number;
}

/** In characters. Words of a query that are so close to each other are seen together. */
const nearbyLength = 100;

/** Finds, of the runs of the most words, the first that has the most words of the query close behind its start. */
export function findBestMatchRun(text: string, matches: readonly Match[]): MatchRun | undefined {
  let best: MatchRun | undefined;
  let most = 0;
  let from = 0;
  for (const run of listLongestMatchRuns(text, matches)) {
    while ((matches[from]?.start ?? run.start) < run.start) from++;
    const count = countNearbyWords(text, matches, from);
    if (count > most) [best, most] = [run, count];
  }
  return best;
}

function listLongestMatchRuns(text: string, matches: readonly Match[]): readonly MatchRun[] {
  const runs = listMatchRuns(text, matches);
  const most = runs.reduce((most, { wordCount }) => Math.max(most, wordCount), 0);
  return runs.filter(({ wordCount }) => wordCount === most);
}

/**
 * Returns all matches, those that stand together as one. `matches`: all those in `text`, ascending.
 *
 * Example: the matches of `question 25` in `question 1, question 25` are `question`, `question` and `25`. They are two
 * runs, `question` and `question 25`.
 */
export function listMatchRuns(text: string, matches: readonly Match[]): readonly MatchRun[] {
  const runs: MatchRun[] = [];
  let words = new Set<string>();
  for (const match of matches) {
    const word = getFoldedMatch(text, match);
    const last = runs.at(-1);
    if (last && !words.has(word) && !containsWordCharacter(text.slice(last.end, match.start))) {
      words.add(word);
      runs[runs.length - 1] = { start: last.start, end: match.end, wordCount: words.size };
    } else {
      words = new Set([word]);
      runs.push({ ...match, wordCount: 1 });
    }
  }
  return runs;
}

const getFoldedMatch = (text: string, { start, end }: Match): string => fold(text.slice(start, end));

function containsWordCharacter(text: string): boolean {
  const folded = fold(text);
  for (let at = 0; at < folded.length; at++) if (isFoldedWordCharacterAt(folded, at)) return true;
  return false;
}

/** The number of different words from the match at an index on that begin close behind its start. */
function countNearbyWords(text: string, matches: readonly Match[], from: number): number {
  const words = new Set<string>();
  const end = (matches[from]?.start ?? 0) + nearbyLength;
  for (let index = from; (matches[index]?.start ?? end) < end; index++) {
    const match = matches[index];
    if (match) words.add(getFoldedMatch(text, match));
  }
  return words.size;
}
