import { expect, test } from 'bun:test';
import { codingFor } from './compression.ts';

test.each([
  [null, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=0.6', 'gzip'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0, *', 'zstd'],
  ['*', 'zstd'],
  ['*;q=0', undefined],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['gzip;q=0.5, identity;q=0.1', 'gzip'],
  ['gzip;q=x', undefined],
  [' gzip ; q=0.8 ', 'gzip'],
] as const)('Accept-Encoding %p: %p', (accepted, coding) => {
  expect(codingFor(accepted)).toBe(coding);
});
