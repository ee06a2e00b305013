import { expect, test } from 'bun:test';
import { inOnePart, LargeAnswers } from './large-answers.ts';

const kB = 1024;
const maxBytes = 4_000 * kB;

const graceMs = 20;
const answersFor = (unsent: number) => new LargeAnswers({ unsent: () => unsent, brokeOff() {}, maxBytes, graceMs });

const bodyOf = (letter: string) => inOnePart(letter.repeat(500 * kB));
const lengthOf = (answer: Response) =>
  answer.text().then(
    (text) => text.length,
    () => 'cut off',
  );

test('responses of stalled readers stay within the budget, and the longest stalled are cut', async () => {
  const large = answersFor(1_000);

  const answers = [...'abcdefgh'].map((letter) => large.answer(bodyOf(letter), {}));
  await Bun.sleep(3 * graceMs);

  expect(large.heldBytes).toBeLessThanOrEqual(maxBytes);
  const taken = await Promise.all(answers.map(lengthOf));
  expect(taken).toEqual(['cut off', 'cut off', 'cut off', 'cut off', ...Array(4).fill(500 * kB)]);
  expect(large.heldBytes).toBe(0);
});

test('a burst of fast readers is not cut', async () => {
  const large = answersFor(1_000);

  const answers = [...'abcdefgh'].map((letter) => large.answer(bodyOf(letter), {}));

  expect(await Promise.all(answers.map(lengthOf))).toEqual(Array(8).fill(500 * kB));
});

test('a reader that still consumes is not cut before one that has stopped', async () => {
  const large = answersFor(1_000);
  const [slow, stalled] = [large.answer(bodyOf('a'), {}), large.answer(bodyOf('b'), {})];
  const reader = slow.body?.getReader();
  await reader?.read();
  await reader?.read();

  const later = [...'cde'].map((letter) => large.answer(bodyOf(letter), {}));
  await Bun.sleep(3 * graceMs);

  expect(await lengthOf(stalled)).toBe('cut off');
  expect((await reader?.read())?.done).toBe(false);
  await Promise.all([reader?.cancel(), ...later.map(lengthOf)]);
  expect(large.heldBytes).toBe(0);
});

test('responses with the same body count it once', () => {
  const large = answersFor(1_000);
  const body = bodyOf('a');

  const answers = Array.from({ length: 10 }, () => large.answer(body, {}));

  expect(answers).toHaveLength(10);
  expect(large.heldBytes).toBeLessThan(2_000 * kB);
});

test.each([
  ['few answers are unsent', 1, 500 * kB],
  ['the body is small', 1_000, 8 * kB],
])('the runtime sends a body by itself where %s', async (_, unsent, size) => {
  const large = answersFor(unsent);

  const answer = large.answer(inOnePart('x'.repeat(size)), {});

  expect(large.heldBytes).toBe(0);
  expect(await lengthOf(answer)).toBe(size);
});

test('a list that its reader has left is not read on', async () => {
  const failures: unknown[] = [];
  const large = new LargeAnswers({ unsent: () => 0, brokeOff: (error) => failures.push(error) });
  let isClosed = false;
  const chunks = {
    async next() {
      if (isClosed) throw new Error('Read after it was closed');
      return new Uint8Array(kB);
    },
    async close() {
      isClosed = true;
    },
  };

  const reader = large.stream(chunks, { own: kB }).getReader();
  await reader.read();
  await new Promise(setImmediate); // by now, the next piece is due
  await reader.cancel();
  await Bun.sleep(1);

  expect(isClosed).toBe(true);
  expect(failures).toEqual([]);
});
