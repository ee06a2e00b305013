import { describe, expect, test } from 'bun:test';
import { Semaphore, shareNextRun, singleFlight } from './concurrency.ts';

const createSemaphore = (max: number, waitMs: number) =>
  new Semaphore({ max, waitMs, createTimeoutError: () => new Error('busy') });

/** Whether a promise is settled once all pending microtasks and callbacks have run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(() => resolve('later')));
  return (await Promise.race([promise.catch(() => {}), turn])) !== 'later';
}

describe('Semaphore', () => {
  test('hands a permit on to the longest waiter', async () => {
    const semaphore = createSemaphore(1, 1_000);
    const first = await semaphore.acquirePermitOrTimeOut();
    const [second, third] = [semaphore.acquirePermitOrTimeOut(), semaphore.acquirePermitOrTimeOut()];

    first.release();

    expect(await isSettled(second)).toBe(true);
    expect(await isSettled(third)).toBe(false);
    expect(semaphore.acquired).toBe(1);
  });

  test('takes a permit back once, however often it is released', async () => {
    const semaphore = createSemaphore(2, 1_000);
    const [first] = await Promise.all([semaphore.acquirePermitOrTimeOut(), semaphore.acquirePermitOrTimeOut()]);

    for (let count = 0; count < 3; count++) first?.release();

    expect(semaphore.acquired).toBe(1);
    await semaphore.acquirePermitOrTimeOut();
    expect(await isSettled(semaphore.acquirePermitOrTimeOut())).toBe(false);
  });

  test('refuses waiters after the timeout, and removes them', async () => {
    const semaphore = createSemaphore(1, 20);
    const first = await semaphore.acquirePermitOrTimeOut();

    expect(await semaphore.acquirePermitOrTimeOut().catch((error) => error.message)).toBe('busy');
    first.release();

    expect(semaphore.acquired).toBe(0);
    expect(await isSettled(semaphore.acquirePermitOrTimeOut())).toBe(true);
  });
});

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

test('calls during a run share the next one, also after a failure', async () => {
  const runs: PromiseWithResolvers<string>[] = [];
  const call = shareNextRun(() => {
    const run = Promise.withResolvers<string>();
    runs.push(run);
    return run.promise;
  });

  const first = call();
  await isSettled(first); // it has begun
  const [second, third] = [call(), call()];
  runs[0]?.reject(new Error('failed'));
  const failure = await first.catch((error) => error.message);
  await isSettled(second);
  runs[1]?.resolve('done');

  expect([failure, await second, await third, runs.length]).toEqual(['failed', 'done', 'done', 2]);
});
