import { expect, test } from 'bun:test';
import { openSqlite } from '../../../store/open-sqlite.ts';
import { EndedSessions } from './ended-sessions.ts';

const dayMs = 24 * 60 * 60_000;

test('an end counts at once where it was made, and after a second at another instance', async () => {
  await using store = await openSqlite({ path: ':memory:' });
  let now = 0;
  const here = new EndedSessions(store, () => now);
  const elsewhere = new EndedSessions(store, () => now);
  await Promise.all([here.isSessionEnded('a'), elsewhere.isSessionEnded('a')]);

  await here.endSession('a', Date.now() + dayMs);

  expect(await here.isSessionEnded('a')).toBe(true);
  now = 1_000;
  expect([
    await here.isSessionEnded('a'),
    await elsewhere.isSessionEnded('a'),
    await elsewhere.isSessionEnded('b'),
  ]).toEqual([true, true, false]);
});

test('the database is asked once a second about a session, however many requests arrive', async () => {
  await using store = await openSqlite({ path: ':memory:' });
  let [now, asked] = [0, 0];
  const isSessionEnded = (id: string) => {
    asked++;
    return store.isSessionEnded(id);
  };
  const ended = new EndedSessions({ endSession: store.endSession.bind(store), isSessionEnded }, () => now);

  for (now = 0; now < 2_000; now += 100) await Promise.all([ended.isSessionEnded('a'), ended.isSessionEnded('a')]);

  expect(asked).toBe(2);
});

test('nothing is said about a session while the database cannot be asked', async () => {
  const store = await openSqlite({ path: ':memory:' });
  let now = 0;
  const ended = new EndedSessions(store, () => now);
  await ended.isSessionEnded('a');
  await store[Symbol.asyncDispose]();

  now = 1_000;

  await expect(ended.isSessionEnded('a')).rejects.toThrow();
  await expect(ended.isSessionEnded('b')).rejects.toThrow();
  await expect(ended.endSession('a', Date.now() + dayMs)).rejects.toThrow();
});
