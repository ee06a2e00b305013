import { unlessAborted } from '../core/tools/concurrency.ts';
import { Interrupted } from './exit-code.ts';
import type { Io } from './io.ts';

/** Aborts, with the error to end with, when the process is asked to stop. The command then has to end itself. */
export function interruptionOf(io: Pick<Io, 'handleSignals'>): AbortSignal {
  const interruption = new AbortController();
  void io.handleSignals().promise.then(({ reason, failure }) => {
    const signal = reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
    interruption.abort(failure ?? new Interrupted('', { signal }));
  });
  return interruption.signal;
}

/** Yields values until the iterable ends. Throws the reason of the signal when that aborts. */
export async function* interruptible<Value>(values: AsyncIterable<Value>, signal: AbortSignal): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await unlessAborted(iterator.next(), signal);
    if (done) return;
    yield value;
  }
}

/** Time that an interrupted command waits for the writes in flight, and after which it says so, in ms. */
const waitMs = 3_000;
const quietMs = 300;

/** Waits for work until some time after the signal aborts, or until the next Ctrl+C; then throws its reason. */
export async function untilLate<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  { stoppedAgain }: Pick<Io, 'stoppedAgain'>,
  print: (sentence: string) => void,
): Promise<Result> {
  const done = new AbortController();
  const late = async (): Promise<never> => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { signal: done.signal }));
    const timer = setTimeout(() => print('Waiting for the outcome. Ctrl+C again ends at once'), quietMs);
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    await Promise.race([stoppedAgain, Bun.sleep(waitMs)]);
    throw signal.reason;
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    done.abort();
  }
}
