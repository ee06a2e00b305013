import { expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { inOnePart } from '../large-answers.ts';
import { CompressedLists } from './compressed-lists.ts';
import { codings } from './compression.ts';

const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
const textOf = (size: number) =>
  Array.from({ length: size / 8 }, (_, index) => Bun.hash(`${index}`).toString(36).slice(-8)).join('');

test.each(codings)('a copy in %s decodes to the list', async (coding) => {
  const lists = new CompressedLists(1024 * 1024);
  const text = textOf(100_000);

  const copy = await lists.get('tag', coding, inOnePart(text));

  expect(decoders[coding](Buffer.concat(copy?.parts ?? [])).toString()).toBe(text);
});

test('a copy is made once, also for concurrent requests', async () => {
  const lists = new CompressedLists(1024 * 1024);
  const list = inOnePart(textOf(100_000));

  const [first, second] = [lists.get('tag', 'gzip', list), lists.get('tag', 'gzip', list)];

  expect(first).toBeInstanceOf(Promise);
  expect(await first).toBe(await second);
  expect(lists.get('tag', 'gzip', list)).toBe(await first);
});

test('copies stay within the bound, least recently used evicted first', async () => {
  const list = inOnePart(textOf(100_000));
  const size = (await new CompressedLists(1024 * 1024).get('one', 'zstd', list))?.size ?? 0;
  const lists = new CompressedLists(2.5 * size);

  for (const tag of ['one', 'two', 'one', 'three']) await lists.get(tag, 'zstd', list);

  expect(lists.get('one', 'zstd', list)).toHaveProperty('parts');
  expect(lists.get('three', 'zstd', list)).toHaveProperty('parts');
  expect(lists.get('two', 'zstd', list)).toBeInstanceOf(Promise);
});

test('only two copies are made at once; further requests get none', async () => {
  const lists = new CompressedLists(1024 * 1024);
  const list = inOnePart(textOf(100_000));

  const making = [lists.get('one', 'gzip', list), lists.get('two', 'gzip', list)];

  expect(lists.get('three', 'gzip', list)).toBeUndefined();
  await Promise.all(making);
  expect(lists.get('three', 'gzip', list)).toBeInstanceOf(Promise);
});
