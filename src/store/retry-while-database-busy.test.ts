import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { mockAdvanceableClock } from '../../test/support/clock.ts';
import { NoteError } from '../core/error.ts';
import { retryWhileDatabaseBusy } from './retry-while-database-busy.ts';

const locked = () => new NoteError('busy', 'locked', { cause: 'another program' });

test('work that another program prevents is tried again until its time is over', async () => {
  using clock = mockAdvanceableClock();
  let tries = 0;
  const work = retryWhileDatabaseBusy(5_000, () => Promise.reject(++tries && locked())).catch((error) => error.message);
  while (tries < 2) await setImmediate();

  clock.ms = 5_100;

  expect(await work).toBe('locked');
});

test.each([
  ['fails', new NoteError('internal', 'wrong')],
  ['is rejected because too much waits', new NoteError('busy', 'busy')],
])('work that %s is not tried again', async (_, error) => {
  let tries = 0;

  await expect(retryWhileDatabaseBusy(5_000, () => Promise.reject(++tries && error))).rejects.toBe(error);

  expect(tries).toBe(1);
});
