import { awaitOrAbort } from '../core/concurrency.ts';
import { InterruptedError } from './interrupted-error.ts';
import type { Io } from './io.ts';

/**
 * Returns a signal that aborts, with the error to end with, when the process is asked to stop. From now on the command
 * has to end itself.
 */
export function interceptStopsAsAbortSignal(io: Pick<Io, 'handleSignals'>): AbortSignal {
  const interruption = new AbortController();
  void io.handleSignals().promise.then(({ reason, failure }) => {
    const signal = reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    interruption.abort(failure ?? new InterruptedError('', { signal }));
  });
  return interruption.signal;
}

/**
 * Yields values until the iterable ends. Throws the reason of the signal when that aborts. Closes the iterable in each
 * case.
 */
export async function* streamOrThrowOnAbort<Value>(
  values: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await awaitOrAbort(iterator.next(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // It is not awaited: an iterator that hangs in `next` would never return.
    void iterator.return?.().catch(() => {});
  }
}

/** Time that an interrupted command waits for the writes in flight, and after which it says so, in ms. */
const gracePeriodMs = 3_000;
const noticeDelayMs = 300;

/**
 * Awaits the writes of a command. When the signal aborts, they get some more seconds, or until the next Ctrl+C; then it
 * throws the reason of the signal. `print` tells the user why the command is still running.
 */
export async function awaitWithGracePeriodAfterAbort<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  { stoppedAgain }: Pick<Io, 'stoppedAgain'>,
  print: (sentence: string) => void,
): Promise<Result> {
  const done = new AbortController();
  const throwAfterGracePeriod = async (): Promise<never> => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { signal: done.signal }));
    const timer = setTimeout(() => print('Waiting for the outcome. Ctrl+C again ends at once'), noticeDelayMs);
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    await Promise.race([stoppedAgain, Bun.sleep(gracePeriodMs)]);
    throw signal.reason;
  };
  try {
    return await Promise.race([work, throwAfterGracePeriod()]);
  } finally {
    done.abort();
  }
}
