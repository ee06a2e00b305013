import { expect, test } from 'bun:test';
import { singleFlight } from './concurrency.ts';

test('calls during one share its result, also a failure, and a later call begins anew', async () => {
  const calls: PromiseWithResolvers<string>[] = [];
  const ask = singleFlight(() => {
    const call = Promise.withResolvers<string>();
    calls.push(call);
    return call.promise;
  });

  const [first, second] = [ask(), ask()];
  calls[0]?.resolve('a');
  const together = await Promise.all([first, second]);
  const failing = [ask(), ask()];
  calls[1]?.reject('no');
  const failed = await Promise.allSettled(failing);
  const last = ask();
  calls[2]?.resolve('c');

  expect(together).toEqual(['a', 'a']);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([await last, calls.length]).toEqual(['c', 3]);
});
