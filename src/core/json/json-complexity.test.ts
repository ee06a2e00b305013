import { expect, test } from 'bun:test';
import { findJsonComplexityProblem } from './json-complexity.ts';

const maxParts = 5_000;

const filler = 'x'.repeat(5_000);
const nested = (levels: number) => `${'['.repeat(levels)}"${filler}"${']'.repeat(levels)}`;

test.each<[what: string, json: string, expected: 'levels' | 'parts' | undefined]>([
  ['as many levels as are allowed', nested(64), undefined],
  ['one level more', nested(64 + 1), 'levels'],
  ['brackets side by side', `["${filler}",${'[],'.repeat(2_000)}0]`, undefined],
  ['many keys', `{${'"key":1,'.repeat(2_501)}"key":1}`, 'parts'],
  ['as many parts as are allowed', `[${'1,'.repeat(4_998)}"${filler}"]`, undefined],
  ['one part more', `[${'1,'.repeat(4_999)}"${filler}"]`, 'parts'],
  ['brackets in a text', JSON.stringify({ content: '[{'.repeat(5_000) }), undefined],
  ['levels after a text that ends in backslashes', `["${filler}\\\\",${nested(64)}]`, 'levels'],
  ['short text, however deep', '['.repeat(4_000), undefined],
])('JSON is looked through before it is parsed: %s', (_, json, expected) => {
  const found = findJsonComplexityProblem(json, maxParts);

  expect(found?.includes('levels') ? 'levels' : found && 'parts').toBe(expected);
});
