import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { catchCodeAndMessage } from '../../../test/support/catch-code-and-message.ts';
import { streamJsonElementTextBatches } from './json-array.ts';

const encoder = new TextEncoder();

/** Bytes in chunks that end at the given places. */
async function* chunksOf(bytes: Uint8Array, ends: readonly number[] = []): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const end of [...ends.toSorted((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function collectElements(text: string | Uint8Array, ends?: readonly number[]): Promise<string[]> {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const elements: string[] = [];
  for await (const some of streamJsonElementTextBatches(chunksOf(bytes, ends))) elements.push(...some);
  return elements;
}

/** Every byte is a chunk. */
const bytewise = (text: string) =>
  collectElements(
    text,
    Array.from(encoder.encode(text), (_, place) => place),
  );

describe('splitJsonArray', () => {
  test.each([
    ['an empty array', '[]', []],
    ['numbers and words', '[1, -2.5e3 ,true,null]', ['1', '-2.5e3', 'true', 'null']],
    ['what is in arrays and objects', '[[1,[2]],{"a":{"b":[3,4]}}]', ['[1,[2]]', '{"a":{"b":[3,4]}}']],
    ['brackets and commas in texts', '["a]b","},{",",["]', ['"a]b"', '"},{"', '",["']],
    ['quotes and backslashes in texts', '["a\\"],","\\\\","\\\\\\""]', ['"a\\"],"', '"\\\\"', '"\\\\\\""']],
    ['characters of several bytes', '["é漢👍",{"漢":"👍"}]', ['"é漢👍"', '{"漢":"👍"}']],
    ['a byte order mark in front', '\u{feff}[1]', ['1']],
  ])('cuts %s, wherever chunks end', async (_, text, expected) => {
    expect(await collectElements(text)).toEqual(expected);
    expect(await bytewise(text)).toEqual(expected);
  });

  test('yields elements as soon as they are complete', async () => {
    const seen: (readonly string[])[] = [];

    for await (const some of streamJsonElementTextBatches(chunksOf(encoder.encode('[1,22,333]'), [3, 5, 6])))
      seen.push(some);

    expect(seen).toEqual([['1'], [], ['22'], ['333']]);
  });

  test('splits any array as JSON.parse does, wherever chunks end', async () => {
    const arrays = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 });
    const spaces = fc.constantFrom(0, 1, '\t');
    await fc.assert(
      fc.asyncProperty(arrays, spaces, fc.array(fc.nat({ max: 400 })), async (values, space, ends) => {
        const bytes = encoder.encode(JSON.stringify(values, undefined, space));
        const elements = await collectElements(
          bytes,
          ends.filter((end) => end < bytes.length),
        );
        expect(elements.map((element) => JSON.stringify(JSON.parse(element)))).toEqual(
          values.map((value) => JSON.stringify(value)),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('rejects every proper prefix of an array', async () => {
    const text = '[{"a":"]"},[1,"é\\""],2]';
    const bytes = encoder.encode(text);

    for (let length = 0; length < bytes.length; length++) {
      const error = await catchCodeAndMessage(collectElements(bytes.subarray(0, length)));
      expect(error).toEqual(['invalid', 'The JSON array ended before it was complete']);
    }
    expect(await collectElements(bytes)).toHaveLength(3);
  });

  test.each(['{"a":[1]}', 'null', '<html>', '"[1]"', '[1] x', '[1][2]', '[}', '[1}'])('refuses %s', async (text) => {
    expect(await catchCodeAndMessage(bytewise(text))).toEqual(['invalid', 'Must be one JSON array']);
  });

  test('names the element that is not UTF-8', async () => {
    const bytes = Uint8Array.from([...encoder.encode('["a","'), 0xff, ...encoder.encode('"]')]);

    expect(await catchCodeAndMessage(collectElements(bytes))).toEqual([
      'invalid',
      'Element 2 of the JSON array is not valid UTF-8',
    ]);
  });

  test('refuses an element above the limit', async () => {
    const bytes = new Uint8Array(65 * 1024 * 1024).fill(0x20);
    bytes.set(encoder.encode('[1,"'));

    expect(await catchCodeAndMessage(collectElements(bytes))).toEqual([
      'invalid',
      'Element 2 of the JSON array is too long',
    ]);
  });
});
