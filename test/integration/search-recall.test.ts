/**
 * How often a note is among the first ten hits of a query drawn from it. Queries that match more than ten notes exactly
 * are not drawn, since they single out none; fuzzy matches beyond those do not excuse a miss.
 */
import { expect, test } from 'bun:test';
import { searchExactlyOrMistyped } from '../../src/core/search.ts';
import { createCorpus } from '../support/data/corpus.ts';
import { createSeededRandom } from '../support/random.ts';
import { pickByScale } from '../support/scale.ts';

const drawn = pickByScale(300, 100);
const firstHits = 10;

const notes = createCorpus(10_000).map((draft, index) => ({
  ...draft,
  id: index + 1,
  updatedAt: '2026-01-01T00:00:00.000Z',
}));
type Note = (typeof notes)[number];

const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ');
const texts = notes.map((note) => folded(`${note.title} ${note.content}`));
/** Each word with a space before it, and no other spaces. */
const wordLists = texts.map((text) =>
  splitIntoWords(text)
    .map((word) => ` ${word}`)
    .join(''),
);

const random = createSeededRandom(20_260_101);

function splitIntoWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

const pickFrom = <Value>(values: readonly Value[]) => values[random.below(values.length)];

/** Two or three different words of a note. */
function someWords(note: Note, isFit: (word: string) => boolean): string[] {
  const fit = [...new Set(splitIntoWords(`${note.title}\n${note.content}`))].filter(isFit);
  const count = 2 + random.below(2);
  return Array.from({ length: count }, () => fit.splice(random.below(fit.length), 1)).flat();
}

/** Whether at most ten of `among` contain all `parts`. */
function isHeldByFew(parts: readonly string[], among = texts): boolean {
  let holders = 0;
  for (const text of among) if (parts.every((part) => text.includes(part)) && ++holders > firstHits) return false;
  return true;
}

/** The share of notes found by the queries that `queryOf` draws from them; it returns undefined to draw again. */
function recall(queryOf: (note: Note) => string | undefined): number {
  let found = 0;
  for (let tried = 0; tried < drawn; ) {
    const note = pickFrom(notes);
    const query = note && queryOf(note);
    if (!note || query === undefined) continue;
    tried++;
    if (searchExactlyOrMistyped(notes, query).slice(0, firstHits).includes(note)) found++;
  }
  return found / drawn;
}

function mistyped(word: string): string {
  const at = random.below(word.length - 1);
  const letter = String.fromCharCode(97 + random.below(26));
  const [before, here, next, after] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)];
  return random.pick([
    before + letter + here + next + after,
    before + next + after,
    before + letter + next + after,
    before + next + here + after,
  ]);
}

test('the beginnings of two or three words of a note find it', () => {
  const query = (note: Note) => {
    const beginnings = someWords(note, (word) => word.length > 3).map((word) =>
      word.slice(0, 3 + random.below(word.length - 3)),
    );
    return isHeldByFew(
      beginnings.map((beginning) => ` ${folded(beginning)}`),
      wordLists,
    )
      ? beginnings.join(' ')
      : undefined;
  };

  const share = recall(query);

  expect(share).toBeGreaterThanOrEqual(0.99);
});

test('two or three words of a note find it with a mistake in one of them', () => {
  const query = (note: Note) => {
    const [first = '', ...others] = someWords(note, (word) => word.length > 3);
    const typed = mistyped(first);
    return isHeldByFew([first, ...others].map(folded)) && typed.length > 3 ? [...others, typed].join(' ') : undefined;
  };

  const share = recall(query);

  expect(share).toBeGreaterThanOrEqual(0.96);
});
