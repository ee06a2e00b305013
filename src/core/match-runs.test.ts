import { describe, expect, test } from 'bun:test';
import { findBestMatchRun, listBestMatchRuns } from './match-runs.ts';
import { findMatchesInText } from './search.ts';

const sliceAll = (text: string, query: string) =>
  listBestMatchRuns(text, findMatchesInText(text, query)).map(({ start, end }) => text.slice(start, end));

describe('listBestMatchRuns', () => {
  test.each([
    ['adjacent words win', 'question 1, question 25, 25', 'question 25', ['question 25']],
    [
      'all of the best, in the order of the text',
      'a question 25. question\n25',
      'question 25',
      ['question 25', 'question\n25'],
    ],
    ['in any order, with punctuation between', 'compose it. docker-compose', 'compose docker', ['docker-compose']],
    ['a repeated word begins another run', 'green green tea', 'green tea', ['green tea']],
    ['one word of a query', 'tea, green tea', 'tea', ['tea', 'tea']],
    ['single words if none are adjacent', 'docker and prune', 'docker prune', ['docker', 'prune']],
    ['accents and case', 'Cafe x Café Menu', 'cafe menu', ['Café Menu']],
    ['nothing', 'green', 'tea', []],
  ])('%s', (_, text, query, expected) => {
    expect(sliceAll(text, query)).toEqual(expected);
  });
});

describe('findBestMatchRun', () => {
  const findStart = (text: string, query: string) => findBestMatchRun(text, findMatchesInText(text, query))?.start;

  test('among single words, the first with another one close behind it', () => {
    const text = `docker ${'x '.repeat(100)}docker system prune`;
    expect(findStart(text, 'docker prune')).toBe(text.lastIndexOf('docker'));
  });

  test('the first of equals', () => expect(findStart('tea tea', 'tea')).toBe(0));

  test('undefined without a match', () => expect(findStart('green', 'tea')).toBeUndefined());
});
