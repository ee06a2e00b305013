import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { clockAhead } from '../../test/support/clock.ts';
import { NoteError } from '../core/error.ts';
import * as message from '../core/message.ts';
import { CommitQueue } from './commit-queue.ts';

type Queue = CommitQueue<number, number>;

const locked = () => new NoteError('busy', 'locked');

/** A queue that records what it commits; a write is a number, and so is its result. */
function queueOf(commit: (writes: readonly number[]) => Promise<readonly (number | NoteError)[]> | undefined) {
  const commits: (readonly number[])[] = [];
  const queue: Queue = new CommitQueue(async (writes) => {
    commits.push(writes);
    return (await commit(writes)) ?? writes;
  });
  return { queue, commits };
}

/** A commit that ends when it is let go. */
function held() {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
  const commit = () => {
    begun.resolve();
    return end.promise as Promise<never>;
  };
  return { commit, begun: begun.promise, letGo: () => end.resolve(undefined), fail: end.reject };
}

/** What a write or work was answered. */
const answerTo = (promise: Promise<unknown>) => promise.catch((error: NoteError) => [error.code, error.message]);

const submit = (queue: Queue, ...writes: readonly number[]) =>
  Promise.all(writes.map((write) => answerTo(queue.submit(write))));

test('the writes of a turn share a commit, and those that arrive during it the next one, at most 512', async () => {
  const first = held();
  const { queue, commits } = queueOf(() => (commits.length === 1 ? first.commit() : undefined));
  const early = submit(queue, 1, 2, 3);
  await first.begun;
  const late = Array.from({ length: 513 }, (_, index) => 10 + index);
  const later = submit(queue, ...late);
  await setImmediate();
  expect(commits).toEqual([[1, 2, 3]]);

  first.letGo();

  expect([await early, await later]).toEqual([[1, 2, 3], late]);
  expect(commits.map(({ length }) => length)).toEqual([3, 512, 1]);
});

test('each write gets its own outcome; a commit that fails is the outcome of all, and the next one goes on', async () => {
  const refused = new NoteError('conflict', 'no');
  const { queue } = queueOf(async (writes) => {
    if (writes.includes(4)) throw new NoteError('unavailable', 'disk');
    return writes.map((one) => (one === 2 ? refused : one));
  });

  expect(await submit(queue, 1, 2, 3)).toEqual([1, ['conflict', 'no'], 3]);
  expect(await submit(queue, 4, 5)).toEqual(Array(2).fill(['unavailable', 'disk']));
  expect(await submit(queue, 6)).toEqual([6]);
});

test('after 5 s of waiting a write is refused for the reason of its last try, later ones not yet', async () => {
  using clock = clockAhead();
  let isLocked = true;
  const { queue, commits } = queueOf(() => (isLocked ? Promise.reject(locked()) : undefined));
  const early = submit(queue, 1);
  while (commits.length === 0) await setImmediate();
  clock.ms = 4_000;
  const late = submit(queue, 2);
  while (commits.at(-1)?.length !== 2) await setImmediate();

  clock.ms = 5_100;
  queue.expire();

  expect(await early).toEqual([['busy', 'locked']]);
  isLocked = false;
  expect(await late).toEqual([2]);
});

test('work that fails is answered at once, or after 5 s if it stays busy', async () => {
  using clock = clockAhead();
  const { queue } = queueOf(() => undefined);
  expect(await answerTo(queue.alone(() => Promise.reject(new NoteError('internal', 'wrong'))))).toEqual([
    'internal',
    'wrong',
  ]);

  let tries = 0;
  const work = queue.alone(() => Promise.reject(++tries && locked()));
  while (tries < 2) await setImmediate();
  clock.ms = 5_100;

  expect(await answerTo(work)).toEqual(['busy', 'locked']);
  expect(await submit(queue, 1)).toEqual([1]);
});

test('closing answers what was accepted, and refuses the rest', async () => {
  const { queue } = queueOf(() => undefined);
  const accepted = [submit(queue, 1, 2), answerTo(queue.alone(async () => 'done'))];
  let isClosed = false;

  const closed = queue.close().then(() => {
    isClosed = true;
  });
  const refused = [submit(queue, 3), answerTo(queue.alone(async () => 'late'))];

  expect(await Promise.all(refused)).toEqual([[['busy', message.storeClosed]], ['busy', message.storeClosed]]);
  expect(isClosed).toBe(false);
  expect(await Promise.all(accepted)).toEqual([[1, 2], 'done']);
  await closed;
  await queue.close();
});

test('more than 16,384 waiting writes are refused', async () => {
  const { queue } = queueOf(() => undefined);

  const answers = await submit(queue, ...Array.from({ length: 16_385 }, (_, index) => index));

  expect(answers.slice(-2)).toEqual([16_383, ['busy', message.busy]]);
});
