import { expect, jest, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import type { ListBody } from '../../core/store.ts';
import { inOnePart, LargeAnswers } from './large-answers.ts';

const mebibyte = 1024 * 1024;

/** A body of 6 MiB, sent with many other responses unsent. */
const body = (): ListBody => inOnePart('x'.repeat(6 * mebibyte));
const beside = (unsent: number) => new LargeAnswers({ unsent: () => unsent, brokeOff() {} });

/** As many answers as may be under way. */
const fill = (large: LargeAnswers, one = body()) =>
  Promise.all(Array.from({ length: 64 }, () => large.answer(one, {})));

const answered = async (answer: Response | Promise<Response>) => (await (await answer).bytes()).length;

test('many readers who take nothing hold at most 64 answers, and one who leaves makes room', async () => {
  const large = beside(1_000);
  const [first, second] = await fill(large);

  await expect(answered(large.answer(body(), {}))).rejects.toThrow('Too many requests are waiting. Try again');
  expect(await answered(large.answer(inOnePart('small'), {}))).toBe(5);
  await first?.body?.cancel();

  expect(await answered(large.answer(body(), {}))).toBe(6 * mebibyte);
  expect(second && (await answered(second))).toBe(6 * mebibyte);
});

test('so does one whom the runtime reports to have left after the next request, which comes before later ones', async () => {
  const large = beside(1_000);
  const [first] = await fill(large);

  const next = large.answer(body(), {});
  await first?.body?.cancel();
  const later = large.answer(body(), {});

  await expect(answered(later)).rejects.toThrow('Too many requests are waiting. Try again');
  expect(await answered(next)).toBe(6 * mebibyte);
});

test.each([
  ['whole while few are unsent', 2, Blob],
  ['in pieces beside many', 1_000, Array],
])('a body is sent %s, with the same bytes', async (_, unsent) => {
  const parts = ['[', 'a'.repeat(2 * mebibyte), ']'].map((text) => new TextEncoder().encode(text));
  const whole = new Blob(parts);

  const answer = await beside(unsent).answer({ size: whole.size, parts, whole: () => whole }, {});

  expect(Bun.hash(await answer.bytes())).toBe(Bun.hash(await whole.bytes()));
});

test('an answer that fails in the middle breaks off, is reported and makes room', async () => {
  const failures: unknown[] = [];
  const large = new LargeAnswers({ unsent: () => 0, brokeOff: (error) => failures.push(error) });
  const failing = () => {
    let chunks = 0;
    const next = async () => {
      if (chunks++ === 2) throw new Error('The store failed');
      return new Uint8Array(1);
    };
    return large.stream({ next, close: async () => {} });
  };

  for (let count = 0; count < 65; count++) {
    expect(await new Response(await failing()).bytes().catch((error) => error.message)).toBe('The store failed');
  }

  expect(failures).toHaveLength(65);
});

test('a reader who takes nothing for 30 s is cut off, and what the answer held is let go; a slow one is not', async () => {
  jest.useFakeTimers();
  try {
    const large = beside(0);
    let closed = 0;
    const endless = async () =>
      (await large.stream({ next: async () => new Uint8Array(1), close: async () => void closed++ })).getReader();
    const [slow, stalled] = [await endless(), await endless()];
    for (const reader of [slow, stalled]) await reader.read();

    for (let second = 0; second < 31; second++) {
      for (let turn = 0; turn < 3; turn++) await setImmediate(); // the next chunk waits to be taken
      jest.advanceTimersByTime(1_000);
      if (second % 20 === 19) await slow.read();
    }

    expect(await stalled.read().catch((error) => error.message)).toBe('The reader of a large answer took nothing');
    expect((await slow.read()).done).toBe(false);
    expect(closed).toBe(1);
  } finally {
    jest.useRealTimers();
  }
});
