import { NoteError } from '../domain/error.ts';
import { Interrupted } from './exit-code.ts';
import type { Io } from './io.ts';

/** Aborted when the process is told to stop, with the error that the command then ends with. From now on it ends by itself. */
export function interruptionOf(io: Pick<Io, 'stopping'>): AbortSignal {
  const interruption = new AbortController();
  void io.stopping().promise.then(({ reason, failure }) => {
    const error = reason === 'SIGINT' ? new Interrupted() : new NoteError('busy', `Interrupted by ${reason}`);
    interruption.abort(failure ?? error);
  });
  return interruption.signal;
}

/** What comes until it ends; throws the reason of the signal when that is aborted. */
export async function* interruptible<Value>(values: AsyncIterable<Value>, signal: AbortSignal): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await unlessAborted(iterator.next(), signal);
    if (done) return;
    yield value;
  }
}

/** Awaits a promise; throws the reason of the signal when that is aborted first. Leaves no listener at the signal. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
