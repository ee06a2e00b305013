import { describe, expect, test } from 'bun:test';
import { findBestMatchRun, listMatchRuns } from './match-runs.ts';
import { findMatchesInText } from './search.ts';

const sliceAll = (text: string, query: string) =>
  listMatchRuns(text, findMatchesInText(text, query)).map(({ start, end }) => text.slice(start, end));

describe('listMatchRuns', () => {
  test.each([
    ['adjacent words are one', 'question 1, question 25, 25', 'question 25', ['question', 'question 25', '25']],
    [
      'in the order of the text, also across a line end',
      'a question 25. question\n25',
      'question 25',
      ['question 25', 'question\n25'],
    ],
    [
      'in any order, with punctuation between',
      'compose it. docker-compose',
      'compose docker',
      ['compose', 'docker-compose'],
    ],
    ['a repeated word begins another run', 'green green tea', 'green tea', ['green', 'green tea']],
    ['one word of a query', 'tea, green tea', 'tea', ['tea', 'tea']],
    ['single words if none are adjacent', 'docker and prune', 'docker prune', ['docker', 'prune']],
    ['accents and case', 'Cafe x Café Menu', 'cafe menu', ['Cafe', 'Café Menu']],
    ['nothing', 'green', 'tea', []],
  ])('%s', (_, text, query, expected) => {
    expect(sliceAll(text, query)).toEqual(expected);
  });
});

describe('findBestMatchRun', () => {
  const findStart = (text: string, query: string) => findBestMatchRun(text, findMatchesInText(text, query))?.start;

  test('adjacent words win', () => {
    const text = 'question 1, question 25, 25';
    expect(findStart(text, 'question 25')).toBe(text.indexOf('question 25'));
  });

  test('among single words, the first with another one close behind it', () => {
    const text = `docker ${'x '.repeat(100)}docker system prune`;
    expect(findStart(text, 'docker prune')).toBe(text.lastIndexOf('docker'));
  });

  test('the first of equals', () => expect(findStart('tea tea', 'tea')).toBe(0));

  test('undefined without a match', () => expect(findStart('green', 'tea')).toBeUndefined());
});
