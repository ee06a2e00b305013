import { expect, test } from 'bun:test';
import { Readable } from 'node:stream';
import type { Input } from '../io.ts';
import { readIdsFromWordsAndStdin, toIdRangeWords } from './note-ids.ts';

const piped = (text: string) => ({ stdin: Readable.from([Buffer.from(text)]) as Input });

test.each([
  ['tab-separated lines', '1\tfirst\n 20 \tsecond\n', ['1', '20']],
  ['a JSON array', ' [{"id":3,"title":"x"},{"id":4}]', ['3', '4']],
  ['nothing', '\n', []],
])('"-" stands for the ids in %s', async (_, text, ids) => {
  expect(await readIdsFromWordsAndStdin(['9', '-'], piped(text))).toEqual(['9', ...ids]);
});

test('ids that form ranges stand for exactly those', async () => {
  const ids = [12, 3, 4, 5, 1];

  expect(toIdRangeWords(ids)).toEqual(['1', '3-5', '12']);
  expect(await readIdsFromWordsAndStdin(toIdRangeWords(ids), piped(''))).toEqual(['1', '3', '4', '5', '12']);
});

test.each([
  ['a word', ['hello'], '', '"hello" is not an id. "notes list hello" shows ids'],
  ['a bad line of JSON', ['-'], '{"id":', 'Standard input looks like JSON, but is not valid JSON'],
  ['a note without id', ['-'], '[{"title":"x"}]', 'Standard input must hold notes, each with its id'],
  ['a range that is too long', ['1-100001'], '', '1-100001 must be a range of 1 to 100,000 ids'],
  [
    'control characters, made visible',
    ['a\u001b[2J'],
    '',
    '"a\u241b[2J" is not an id. "notes list a\u241b[2J" shows ids',
  ],
])('refuses %s', async (_, given, text, reason) => {
  await expect(readIdsFromWordsAndStdin(given, piped(text))).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(reason),
  });
});
