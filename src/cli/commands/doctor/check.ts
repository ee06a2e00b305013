import { messageOf } from '../../../shared/thrown.ts';

const states = ['ok', 'warning', 'fault'] as const;

/** What one look at an installation has found. */
export interface Check {
  readonly name: string;
  readonly state: (typeof states)[number];
  readonly found: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export const ok = (name: string, found: string): Check => ({ name, state: 'ok', found });
export const warning = (name: string, found: string, remedy: string): Check => ({
  name,
  state: 'warning',
  found,
  remedy,
});
export const fault = (name: string, found: string, remedy: string): Check => ({ name, state: 'fault', found, remedy });

/** How long one look may take, in ms: a disk or a server that hangs must not hang the doctor. */
const patienceMs = 4_000;

/** The checks that `look` comes to; a fault when it fails or takes longer than `ms`. */
export async function within(
  name: string,
  look: (signal: AbortSignal) => Promise<readonly Check[]>,
  ms = patienceMs,
): Promise<readonly Check[]> {
  const late = new AbortController();
  const timer = Number.isFinite(ms) ? setTimeout(() => late.abort(), ms) : undefined;
  const timedOut = Promise.withResolvers<readonly Check[]>();
  late.signal.addEventListener('abort', () =>
    timedOut.resolve([
      fault(name, `no answer within ${ms / 1000} s`, 'See whether the disk, the server or the network hangs'),
    ]),
  );
  try {
    return await Promise.race([look(late.signal), timedOut.promise]);
  } catch (error) {
    return [fault(name, messageOf(error), 'Remove the cause, and look again')];
  } finally {
    clearTimeout(timer);
  }
}
