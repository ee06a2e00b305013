import { expect, test } from 'bun:test';
import { untilLate } from './interruption.ts';

test('work that ends soon after an interruption is waited for without a word', async () => {
  const stopping = new AbortController();
  const said: string[] = [];
  const work = Bun.sleep(20).then(() => 'done');
  const never = new Promise<never>(() => {});

  const ended = untilLate(work, stopping.signal, { stoppedAgain: never }, (sentence) => said.push(sentence));
  stopping.abort();
  await Bun.sleep(400); // the sentence would come after 300 ms

  expect([await ended, said]).toEqual(['done', []]);
});
