import { expect, test } from 'bun:test';
import { WrongTokenCounter } from './wrong-token-counter.ts';

const guess = (wrongTokens: WrongTokenCounter, address: string, times: number) =>
  Array.from({ length: times }, () => wrongTokens.incrementAndGetCount(address)).at(-1);

test('after ten wrong tokens, only that address waits for the rest of the minute', () => {
  let now = 0;
  const wrongTokens = new WrongTokenCounter(() => now);

  expect(guess(wrongTokens, '10.0.0.1', 9)).toBe(9);
  expect(wrongTokens.computeWaitSeconds('10.0.0.1')).toBe(0);
  expect(guess(wrongTokens, '10.0.0.1', 1)).toBe(10);
  now = 20_000;
  expect([wrongTokens.computeWaitSeconds('10.0.0.1'), wrongTokens.computeWaitSeconds('10.0.0.2')]).toEqual([40, 0]);
  now = 60_000;
  expect(wrongTokens.computeWaitSeconds('10.0.0.1')).toBe(0);
  expect(guess(wrongTokens, '10.0.0.1', 9)).toBe(9);
  expect(wrongTokens.computeWaitSeconds('10.0.0.1')).toBe(0);
});

test('IPv6 addresses of one /64 count together', () => {
  const wrongTokens = new WrongTokenCounter();
  for (let host = 1; host <= 10; host++) wrongTokens.incrementAndGetCount(`2001:db8:1:2:${host}::${host}`);

  expect(wrongTokens.computeWaitSeconds('2001:db8:1:2::99')).toBeGreaterThan(0);
  expect(wrongTokens.computeWaitSeconds('2001:db8:1:3::99')).toBe(0);
});

test('memory is bounded: the oldest address is evicted', () => {
  const wrongTokens = new WrongTokenCounter();
  guess(wrongTokens, '10.0.0.1', 10);
  const fill = (count: number) => {
    for (let n = 0; n < count; n++) wrongTokens.incrementAndGetCount(`11.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  };
  fill(9_999);
  expect(wrongTokens.computeWaitSeconds('10.0.0.1')).toBeGreaterThan(0);
  fill(10_000);

  expect(wrongTokens.computeWaitSeconds('10.0.0.1')).toBe(0);
});
