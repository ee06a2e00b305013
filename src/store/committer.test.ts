import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { catchCodeAndMessage } from '../../test/support/catch-code-and-message.ts';
import { mockAdvanceableClock } from '../../test/support/clock.ts';
import { NoteError } from '../core/error.ts';
import * as message from '../core/error-messages.ts';
import { Committer } from './committer.ts';
import * as storeMessage from './store-messages.ts';

type NumberCommitter = Committer<number, number>;

const timeouts = { waitMs: 5_000, graceMs: 0, checkIntervalMs: 1_000 };

const locked = () => new NoteError('busy', 'locked');

/** A committer that records what it commits; a write is a number, and so is its result. */
function createCommitter(commit: (writes: readonly number[]) => Promise<readonly (number | NoteError)[]> | undefined) {
  const commits: (readonly number[])[] = [];
  const committer: NumberCommitter = new Committer(async (dequeueWrites) => {
    const writes = dequeueWrites();
    commits.push(writes);
    return (await commit(writes)) ?? writes;
  }, timeouts);
  return { committer, commits };
}

/** A commit that ends when `finish` is called. */
function createPausedCommit() {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<undefined>();
  const commit = () => {
    begun.resolve();
    return end.promise as Promise<never>;
  };
  return { commit, begun: begun.promise, finish: () => end.resolve(undefined) };
}

/** Submits writes. Resolves with the result of each, or the code and message of its error. */
const submit = (committer: NumberCommitter, ...writes: readonly number[]) =>
  Promise.all(
    writes.map((write) => {
      const submitted = committer.submit(write);
      return submitted.catch(() => catchCodeAndMessage(submitted));
    }),
  );

test('the writes of a turn share a commit, and those that arrive during it the next one, at most 512', async () => {
  const first = createPausedCommit();
  const { committer, commits } = createCommitter(() => (commits.length === 1 ? first.commit() : undefined));
  const early = submit(committer, 1, 2, 3);
  await first.begun;
  const late = Array.from({ length: 513 }, (_, index) => 10 + index);
  const later = submit(committer, ...late);
  await setImmediate();
  expect(commits).toEqual([[1, 2, 3]]);

  first.finish();

  expect([await early, await later]).toEqual([[1, 2, 3], late]);
  expect(commits.map(({ length }) => length)).toEqual([3, 512, 1]);
});

test('each write gets its own outcome; a commit that fails is the outcome of all, and the next one goes on', async () => {
  const conflict = new NoteError('conflict', 'no');
  const { committer } = createCommitter(async (writes) => {
    if (writes.includes(4)) throw new NoteError('unavailable', 'disk');
    return writes.map((one) => (one === 2 ? conflict : one));
  });

  expect(await submit(committer, 1, 2, 3)).toEqual([1, ['conflict', 'no'], 3]);
  expect(await submit(committer, 4, 5)).toEqual(Array(2).fill(['unavailable', 'disk']));
  expect(await submit(committer, 6)).toEqual([6]);
});

test('after 5 s of waiting a write is rejected with the error of its last try, later ones not yet', async () => {
  using clock = mockAdvanceableClock();
  let isLocked = true;
  const { committer, commits } = createCommitter(() => (isLocked ? Promise.reject(locked()) : undefined));
  const early = submit(committer, 1);
  while (commits.length === 0) await setImmediate();
  clock.ms = 4_000;
  const late = submit(committer, 2);
  while (commits.at(-1)?.length !== 2) await setImmediate();

  clock.ms = 5_100;
  committer.rejectOverdueWrites();

  expect(await early).toEqual([['busy', 'locked']]);
  isLocked = false;
  expect(await late).toEqual([2]);
});

test('a write that waits for the storage to begin has had no effect, and is committed with those that came later', async () => {
  using clock = mockAdvanceableClock();
  const turn = Promise.withResolvers<void>();
  const commits: (readonly number[])[] = [];
  const committer: NumberCommitter = new Committer(async (dequeueWrites) => {
    await turn.promise;
    const writes = dequeueWrites();
    commits.push(writes);
    return writes;
  }, timeouts);
  const early = submit(committer, 1);
  await setImmediate();
  clock.ms = 4_000;
  const late = submit(committer, 2, 3);

  clock.ms = 5_100;
  committer.rejectOverdueWrites();
  turn.resolve();

  expect(await early).toEqual([['busy', storeMessage.storeSlow]]);
  expect(await late).toEqual([2, 3]);
  expect(commits).toEqual([[2, 3]]);
});

test('close() settles accepted writes and rejects later ones', async () => {
  const { committer } = createCommitter(() => undefined);
  const accepted = submit(committer, 1, 2);
  let isClosed = false;

  const closed = committer.close().then(() => {
    isClosed = true;
  });
  const rejected = submit(committer, 3);

  expect(await rejected).toEqual([['busy', message.storeClosed]]);
  expect(isClosed).toBe(false);
  expect(await accepted).toEqual([1, 2]);
  await closed;
  await committer.close();
});

test('more than 16,384 waiting writes are rejected', async () => {
  const { committer } = createCommitter(() => undefined);

  const results = await submit(committer, ...Array.from({ length: 16_385 }, (_, index) => index));

  expect(results.slice(-2)).toEqual([16_383, ['busy', message.busy]]);
});
