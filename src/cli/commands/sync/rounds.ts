import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long after a change to begin, in ms: what writes has more to write. */
const restMs = 1_000;

/** After how many times `everyMs` to look for what was not told, as file systems over a network tell nothing. */
const roundsUntold = 10;

/** Yields at once, then when something has changed below paths, at most every `everyMs`. Ends when the signal is aborted. */
export async function* rounds(
  paths: readonly string[],
  everyMs: number,
  signal: AbortSignal,
): AsyncGenerator<void, void, void> {
  let change = Promise.withResolvers<void>();
  const watchers = paths.flatMap((path) => watcherOf(path, () => change.resolve()));
  const abort = () => change.resolve();
  signal.addEventListener('abort', abort);
  try {
    while (!signal.aborted) {
      change = Promise.withResolvers();
      const next = performance.now() + everyMs;
      yield;
      await within(roundsUntold * everyMs, change.promise);
      await sleepUnlessAborted(Math.max(restMs, next - performance.now()), signal);
    }
  } finally {
    signal.removeEventListener('abort', abort);
    for (const watcher of watchers) watcher.close();
  }
}

/** None where the path cannot be watched: it is looked at from time to time all the same. */
function watcherOf(path: string, changed: () => void): readonly FSWatcher[] {
  try {
    return [watch(path, { recursive: true }, changed).on('error', () => {})];
  } catch {
    return [];
  }
}

/** Timers take no longer time, in ms. */
const maxMs = 2 ** 31 - 1;

const within = (ms: number, promise: Promise<void>) => Promise.race([promise, Bun.sleep(Math.min(ms, maxMs))]);

const sleepUnlessAborted = (ms: number, signal: AbortSignal) =>
  sleep(Math.min(ms, maxMs), undefined, { signal }).catch(() => {});
