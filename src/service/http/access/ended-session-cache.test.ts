import { expect, test } from 'bun:test';
import { openSqlite } from '../../../store/open-sqlite.ts';
import { EndedSessionCache } from './ended-session-cache.ts';

const dayMs = 24 * 60 * 60_000;

test('an end counts at once where it was made, and after a second at another instance', async () => {
  await using store = await openSqlite({ path: ':memory:' });
  let now = 0;
  const here = new EndedSessionCache(store, () => now);
  const elsewhere = new EndedSessionCache(store, () => now);
  await Promise.all([here.isSignInSessionEnded('a'), elsewhere.isSignInSessionEnded('a')]);

  await here.endSession('a', Date.now() + dayMs);

  expect(await here.isSignInSessionEnded('a')).toBe(true);
  now = 1_000;
  expect([
    await here.isSignInSessionEnded('a'),
    await elsewhere.isSignInSessionEnded('a'),
    await elsewhere.isSignInSessionEnded('b'),
  ]).toEqual([true, true, false]);
});

test('the database is asked once a second about a session, however many requests arrive', async () => {
  await using store = await openSqlite({ path: ':memory:' });
  let [now, asked] = [0, 0];
  const isSignInSessionEnded = (id: string) => {
    asked++;
    return store.isSignInSessionEnded(id);
  };
  const ended = new EndedSessionCache({ endSession: store.endSession.bind(store), isSignInSessionEnded }, () => now);

  for (now = 0; now < 2_000; now += 100)
    await Promise.all([ended.isSignInSessionEnded('a'), ended.isSignInSessionEnded('a')]);

  expect(asked).toBe(2);
});

test('nothing is said about a session while the database cannot be asked', async () => {
  const store = await openSqlite({ path: ':memory:' });
  let now = 0;
  const ended = new EndedSessionCache(store, () => now);
  await ended.isSignInSessionEnded('a');
  await store[Symbol.asyncDispose]();

  now = 1_000;

  await expect(ended.isSignInSessionEnded('a')).rejects.toThrow();
  await expect(ended.isSignInSessionEnded('b')).rejects.toThrow();
  await expect(ended.endSession('a', Date.now() + dayMs)).rejects.toThrow();
});
