import { expect, jest, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import type { ListBody } from '../../core/store.ts';
import { createSinglePartListBody, LargeResponses } from './large-responses.ts';

const mebibyte = 1024 * 1024;

/** A body of 6 MiB, sent with many other responses unsent. */
const body = (): ListBody => createSinglePartListBody('x'.repeat(6 * mebibyte));
const beside = (unsent: number) => new LargeResponses({ countUnsent: () => unsent, onBreak() {} });

/** As many responses as may be open. */
const fill = (large: LargeResponses, one = body()) =>
  Promise.all(Array.from({ length: 64 }, () => large.respond(one, {})));

const readLength = async (response: Response | Promise<Response>) => (await (await response).bytes()).length;

test('many readers who read nothing hold at most 64 responses, and one who leaves makes room', async () => {
  const large = beside(1_000);
  const [first, second] = await fill(large);

  await expect(readLength(large.respond(body(), {}))).rejects.toThrow('Too many requests are waiting. Try again');
  expect(await readLength(large.respond(createSinglePartListBody('small'), {}))).toBe(5);
  await first?.body?.cancel();

  expect(await readLength(large.respond(body(), {}))).toBe(6 * mebibyte);
  expect(second && (await readLength(second))).toBe(6 * mebibyte);
});

test('so does one whom the runtime reports to have left after the next request, which comes before later ones', async () => {
  const large = beside(1_000);
  const [first] = await fill(large);

  const next = large.respond(body(), {});
  await first?.body?.cancel();
  const later = large.respond(body(), {});

  await expect(readLength(later)).rejects.toThrow('Too many requests are waiting. Try again');
  expect(await readLength(next)).toBe(6 * mebibyte);
});

test.each([
  ['at once while few are unsent', 2, Blob],
  ['in pieces beside many', 1_000, Array],
])('a body is sent %s, with the same bytes', async (_, unsent) => {
  const parts = ['[', 'a'.repeat(2 * mebibyte), ']'].map((text) => new TextEncoder().encode(text));
  const whole = new Blob(parts);

  const response = await beside(unsent).respond({ size: whole.size, parts, whole: () => whole }, {});

  expect(Bun.hash(await response.bytes())).toBe(Bun.hash(await whole.bytes()));
});

test('a response that fails in the middle breaks off, is reported and makes room', async () => {
  const failures: unknown[] = [];
  const large = new LargeResponses({ countUnsent: () => 0, onBreak: (error) => failures.push(error) });
  const failing = () => {
    let chunks = 0;
    const next = async () => {
      if (chunks++ === 2) throw new Error('The store failed');
      return new Uint8Array(1);
    };
    return large.openStreamOrThrowBusy({ next, close: async () => {} });
  };

  for (let count = 0; count < 65; count++) {
    expect(await new Response(await failing()).bytes().catch((error) => error.message)).toBe('The store failed');
  }

  expect(failures).toHaveLength(65);
});

test('a reader who reads nothing for 30 s is cut off, and what the response held is released; a slow one is not', async () => {
  jest.useFakeTimers();
  try {
    const large = beside(0);
    let closed = 0;
    const endless = async () =>
      (
        await large.openStreamOrThrowBusy({ next: async () => new Uint8Array(1), close: async () => void closed++ })
      ).getReader();
    const [slow, stalled] = [await endless(), await endless()];
    for (const reader of [slow, stalled]) await reader.read();

    for (let second = 0; second < 31; second++) {
      for (let turn = 0; turn < 3; turn++) await setImmediate(); // the next chunk waits to be read
      jest.advanceTimersByTime(1_000);
      if (second % 20 === 19) await slow.read();
    }

    expect(await stalled.read().catch((error) => error.message)).toBe(
      'The reader of a large response has read nothing',
    );
    expect((await slow.read()).done).toBe(false);
    expect(closed).toBe(1);
  } finally {
    jest.useRealTimers();
  }
});
