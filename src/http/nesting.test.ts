import { expect, test } from 'bun:test';
import { isTooDeep, mostLevels } from './nesting.ts';

const filler = 'x'.repeat(5_000);
const nested = (levels: number) => `${'['.repeat(levels)}"${filler}"${']'.repeat(levels)}`;

test.each<[what: string, json: string, expected: boolean]>([
  ['as many levels as are allowed', nested(mostLevels), false],
  ['one level more', nested(mostLevels + 1), true],
  ['objects in arrays', `${'[{"a":'.repeat(33)}"${filler}"${'}]'.repeat(33)}`, true],
  ['many brackets side by side', `[${'[],{},'.repeat(5_000)}0]`, false],
  ['brackets in a text', JSON.stringify({ content: '[{'.repeat(5_000) }), false],
  ['brackets after escaped quotes in a text', JSON.stringify({ content: '\\"[\\\\"{'.repeat(5_000) }), false],
  ['levels after a text that ends in backslashes', `["${filler}\\\\",${nested(mostLevels)}]`, true],
  ['levels in a text that does not end', `"${'['.repeat(5_000)}`, false],
  ['levels that stay open', '['.repeat(5_000), true],
  ['short text, however deep', '['.repeat(4_000), false],
])('JSON is looked through before it is parsed: %s', (_, json, expected) => {
  const found = isTooDeep(json);

  expect(found).toBe(expected);
});
