import { expect, test } from 'bun:test';
import { excessIn } from './long-json.ts';

const maxParts = 5_000;

const filler = 'x'.repeat(5_000);
const nested = (levels: number) => `${'['.repeat(levels)}"${filler}"${']'.repeat(levels)}`;

test.each<[what: string, json: string, expected: 'levels' | 'parts' | undefined]>([
  ['as many levels as are allowed', nested(64), undefined],
  ['one level more', nested(64 + 1), 'levels'],
  ['objects in arrays', `${'[{"a":'.repeat(33)}"${filler}"${'}]'.repeat(33)}`, 'levels'],
  ['brackets side by side', `["${filler}",${'[],'.repeat(2_000)}0]`, undefined],
  ['many brackets side by side', `[${'[],{},'.repeat(5_000)}0]`, 'parts'],
  ['many keys', `{${'"key":1,'.repeat(2_501)}"key":1}`, 'parts'],
  ['many texts that are no JSON', '""'.repeat(5_001), 'parts'],
  ['as many parts as are allowed', `[${'1,'.repeat(4_998)}"${filler}"]`, undefined],
  ['one part more', `[${'1,'.repeat(4_999)}"${filler}"]`, 'parts'],
  ['commas in a text', JSON.stringify({ content: ','.repeat(20_000) }), undefined],
  ['brackets in a text', JSON.stringify({ content: '[{'.repeat(5_000) }), undefined],
  ['brackets after escaped quotes in a text', JSON.stringify({ content: '\\"[\\\\"{'.repeat(5_000) }), undefined],
  ['levels after a text that ends in backslashes', `["${filler}\\\\",${nested(64)}]`, 'levels'],
  ['levels in a text that does not end', `"${'['.repeat(5_000)}`, undefined],
  ['levels that stay open', '['.repeat(5_000), 'levels'],
  ['short text, however deep', '['.repeat(4_000), undefined],
])('JSON is looked through before it is parsed: %s', (_, json, expected) => {
  const found = excessIn(json, maxParts);

  expect(found?.includes('levels') ? 'levels' : found && 'parts').toBe(expected);
});
