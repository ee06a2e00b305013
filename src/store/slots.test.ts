import { describe, expect, test } from 'bun:test';
import { Slots } from './slots.ts';

/** Whether a promise is settled once everything else that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(() => resolve('later')));
  return (await Promise.race([promise.catch(() => {}), turn])) !== 'later';
}

describe('Slots', () => {
  test('gives out as many places as there are, and makes others wait', async () => {
    const slots = new Slots(2, 1_000);

    await Promise.all([slots.take(), slots.take()]);
    const third = slots.take();

    expect(slots.taken).toBe(2);
    expect(await isSettled(third)).toBe(false);
  });

  test('hands a place on to whoever waits longest', async () => {
    const slots = new Slots(1, 1_000);
    const first = await slots.take();
    const [second, third] = [slots.take(), slots.take()];

    first.free();

    expect(await isSettled(second)).toBe(true);
    expect(await isSettled(third)).toBe(false);
    expect(slots.taken).toBe(1);
  });

  test('takes a place back once, however often it is freed', async () => {
    const slots = new Slots(2, 1_000);
    const [first] = await Promise.all([slots.take(), slots.take()]);

    for (let count = 0; count < 3; count++) first?.free();

    expect(slots.taken).toBe(1);
    await slots.take();
    expect(await isSettled(slots.take())).toBe(false);
  });

  test('refuses as busy who has waited too long, and forgets about them', async () => {
    const slots = new Slots(1, 20);
    const first = await slots.take();

    expect(await slots.take().catch((error) => error.code)).toBe('busy');
    first.free();

    expect(slots.taken).toBe(0);
    expect(await isSettled(slots.take())).toBe(true);
  });
});
