import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a round waits after a change, in ms, as more writes tend to follow. */
const settleMs = 1_000;

/** Rescan after this many intervals without an event: network file systems report none. */
const maxIdleRounds = 10;

/** Yields at once, then after changes below paths, at most every `everyMs`. Ends when the signal aborts. */
export async function* streamSyncTriggers(
  paths: readonly string[],
  everyMs: number,
  signal: AbortSignal,
): AsyncGenerator<void, void, void> {
  let change = Promise.withResolvers<void>();
  const watchers = paths.map((path) => tryWatchPath(path, () => change.resolve()));
  try {
    while (!signal.aborted) {
      change = Promise.withResolvers();
      const next = performance.now() + everyMs;
      yield;
      await Promise.race([change.promise, sleepUnlessAborted(maxIdleRounds * everyMs, signal)]);
      await sleepUnlessAborted(Math.max(settleMs, next - performance.now()), signal);
    }
  } finally {
    for (const watcher of watchers) watcher?.close();
  }
}

/** Calls `onChange` at changes below a path. Returns undefined if it cannot be watched: rounds come by time too. */
function tryWatchPath(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(path, { recursive: true }, onChange).on('error', () => {});
  } catch {
    return undefined;
  }
}

/** Maximum delay of timers, in ms. */
const maxTimerMs = 2 ** 31 - 1;

const sleepUnlessAborted = (ms: number, signal: AbortSignal) =>
  sleep(Math.min(ms, maxTimerMs), undefined, { signal }).catch(() => {});
