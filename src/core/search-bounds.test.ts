/** The work of a search is bounded, whatever the query and the notes. */
import { expect, test } from 'bun:test';
import { type Searchable, searchExactlyOrMistyped } from './search.ts';

const note = (id: number, title: string, content = 'nothing'): Searchable => ({
  ...{ id, title, content, updatedAt: '2026-01-01T00:00:00.000Z' },
});
const titles = (found: readonly Searchable[]) => found.map(({ title }) => title);

const some = (count: number, wordAt: (index: number) => string) => Array.from({ length: count }, (_, n) => wordAt(n));
test('a note with a million mistyped words is found', () => {
  const notes = [note(1, 'title', 'words '.repeat(1_000_000))];

  expect(searchExactlyOrMistyped(notes, 'wrods')).toEqual(notes);
});

test('a repeated word counts once, except in the phrase', () => {
  const best = [note(1, 'the cat and the dog'), note(2, 'a cat, the dog and more')];

  expect(titles(searchExactlyOrMistyped(best.toReversed(), 'the cat and the dog'))).toEqual(titles(best));
});

test('of many words the first 32 count, and all of them in the phrase', () => {
  const words = some(33, (n) => `word${n}`);
  const best = [note(1, words.join(' ')), note(2, words.slice(0, 32).join(' '))];
  const others = [note(3, words.slice(0, 31).join(' '))];

  expect(titles(searchExactlyOrMistyped([...others, ...best.toReversed()], words.join(' ')))).toEqual(titles(best));
});

test('up to four words may be mistyped', () => {
  const notes = [note(1, 'an entire sentence without mistakes')];

  expect(titles(searchExactlyOrMistyped(notes, 'an entrie sentnece wihtout mitsakes'))).toEqual(titles(notes));
  expect(
    searchExactlyOrMistyped(
      [note(1, 'another entire sentence without mistakes')],
      'antoher entrie sentnece wihtout mitsakes',
    ),
  ).toEqual([]);
});
