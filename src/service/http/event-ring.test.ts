import { expect, test } from 'bun:test';
import { Ring } from './event-hub.ts';

/** The pieces of a ring from a position on. */
const from = (ring: Ring, position: number) =>
  Array.from({ length: ring.end - position }, (_, index) => ring.at(position + index) ?? new Uint8Array());

test('text is cut into pieces of bounded size', () => {
  const ring = new Ring();
  const long = '漢'.repeat(100_000);
  for (const text of ['first', '', long]) ring.push(text);

  const pieces = from(ring, 1);

  expect(Math.max(...pieces.map(({ length }) => length))).toBe(64 * 1024);
  expect(Buffer.concat(pieces).toString()).toBe(long);
  expect(ring.at(ring.end)).toBeUndefined();
});

test('the oldest pieces make room for new ones', () => {
  const ring = new Ring();
  const starts = [1, 2, 3, 4, 5].map((n) => {
    const position = ring.end;
    ring.push(`${n}`.repeat(5 * 1024 * 1024));
    return position;
  });

  expect(starts.map((position) => ring.has(position))).toEqual([false, false, true, true, true]);
  expect(Buffer.concat(from(ring, starts[4] ?? 0)).toString()).toBe('5'.repeat(5 * 1024 * 1024));
});
