import { expect, test } from 'bun:test';
import { Guesses } from './access.ts';

const guess = (guesses: Guesses, address: string, times: number) =>
  Array.from({ length: times }, () => guesses.add(address)).at(-1);

test('after ten wrong tokens, only that address waits for the rest of the minute', () => {
  let now = 0;
  const guesses = new Guesses(() => now);

  expect(guess(guesses, '10.0.0.1', 9)).toBe(9);
  expect(guesses.waitOf('10.0.0.1')).toBe(0);
  expect(guess(guesses, '10.0.0.1', 1)).toBe(10);
  now = 20_000;
  expect([guesses.waitOf('10.0.0.1'), guesses.waitOf('10.0.0.2')]).toEqual([40, 0]);
  now = 60_000;
  expect(guesses.waitOf('10.0.0.1')).toBe(0);
  expect(guess(guesses, '10.0.0.1', 9)).toBe(9);
  expect(guesses.waitOf('10.0.0.1')).toBe(0);
});

test('IPv6 addresses of one /64 count together', () => {
  const guesses = new Guesses();
  for (let host = 1; host <= 10; host++) guesses.add(`2001:db8:1:2:${host}::${host}`);

  expect(guesses.waitOf('2001:db8:1:2::99')).toBeGreaterThan(0);
  expect(guesses.waitOf('2001:db8:1:3::99')).toBe(0);
});

test('memory is bounded: the oldest address is evicted', () => {
  const guesses = new Guesses();
  guess(guesses, '10.0.0.1', 10);
  const fill = (count: number) => {
    for (let n = 0; n < count; n++) guesses.add(`11.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  };
  fill(9_999);
  expect(guesses.waitOf('10.0.0.1')).toBeGreaterThan(0);
  fill(10_000);

  expect(guesses.waitOf('10.0.0.1')).toBe(0);
});
