import { afterEach, expect, jest, test } from 'bun:test';
import { awaitWithGracePeriod } from './interruption.ts';

afterEach(() => void jest.useRealTimers());

test('work that ends soon after an interruption is waited for without a word', async () => {
  jest.useFakeTimers();
  const stopping = new AbortController();
  const said: string[] = [];
  const work = Promise.withResolvers<string>();
  const never = new Promise<never>(() => {});

  const ended = awaitWithGracePeriod(work.promise, stopping.signal, { stoppedAgain: never }, (sentence) =>
    said.push(sentence),
  );
  stopping.abort();
  await Promise.resolve(); // it has heard of the interruption
  jest.advanceTimersByTime(299);
  work.resolve('done');

  expect(await ended).toBe('done');
  jest.advanceTimersByTime(10_000);
  expect(said).toEqual([]);
});
