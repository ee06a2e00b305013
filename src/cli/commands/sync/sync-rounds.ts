import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a round waits after a change, in ms, as more writes tend to follow. */
const settleMs = 1_000;

/** Rescan after this many intervals without an event: network file systems report none. */
const maxIdleRounds = 10;

/** Yields at once, then after changes below paths, at most every `everyMs`. Ends when the signal aborts. */
export async function* yieldSyncRounds(
  paths: readonly string[],
  everyMs: number,
  signal: AbortSignal,
): AsyncGenerator<void, void, void> {
  let change = Promise.withResolvers<void>();
  const watchers = paths.flatMap((path) => watchPath(path, () => change.resolve()));
  try {
    while (!signal.aborted) {
      change = Promise.withResolvers();
      const next = performance.now() + everyMs;
      yield;
      await Promise.race([change.promise, sleepUnlessAborted(maxIdleRounds * everyMs, signal)]);
      await sleepUnlessAborted(Math.max(settleMs, next - performance.now()), signal);
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/** Returns none if the path cannot be watched; it is still rescanned from time to time. */
function watchPath(path: string, changed: () => void): readonly FSWatcher[] {
  try {
    return [watch(path, { recursive: true }, changed).on('error', () => {})];
  } catch {
    return [];
  }
}

/** Maximum delay of timers, in ms. */
const maxTimerMs = 2 ** 31 - 1;

const sleepUnlessAborted = (ms: number, signal: AbortSignal) =>
  sleep(Math.min(ms, maxTimerMs), undefined, { signal }).catch(() => {});
