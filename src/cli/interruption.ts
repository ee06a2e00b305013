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
