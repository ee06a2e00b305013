import { expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { CompressedListCache, chooseCoding, contentCodings } from './compression.ts';
import { createSinglePartListBody } from './large-responses.ts';

test.each([
  [null, undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=0.6', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['*', 'gzip'],
  ['br;q=0.5, *', 'gzip'],
  ['gzip;q=0, *', undefined],
  ['*;q=0.5, identity', undefined],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['gzip;q=0.5, identity;q=0.1', 'gzip'],
  [' gzip ; q=0.8 ', 'gzip'],
] as const)('Accept-Encoding %p: %p', (accepted, coding) => {
  expect(chooseCoding(accepted)).toBe(coding);
});

const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
const createTextOfSize = (size: number) =>
  Array.from({ length: size / 8 }, (_, index) => Bun.hash(`${index}`).toString(36).slice(-8)).join('');

test.each(contentCodings)('a copy in %s decodes to the list', async (coding) => {
  const text = createTextOfSize(100_000);

  const copy = await new CompressedListCache(() => true).findOrTryToCreateCopy(createSinglePartListBody(text), coding);

  expect(decoders[coding](Buffer.concat(copy?.parts ?? [])).toString()).toBe(text);
});
