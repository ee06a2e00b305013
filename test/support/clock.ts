import { spyOn } from 'bun:test';

/** `performance.now` runs ahead by so many ms until disposal, so that tests need not wait. */
export function mockAdvanceableClock(): Disposable & { ms: number } {
  const now = performance.now.bind(performance);
  const clock = { ms: 0, [Symbol.dispose]: () => ahead.mockRestore() };
  const ahead = spyOn(performance, 'now').mockImplementation(() => now() + clock.ms);
  return clock;
}
