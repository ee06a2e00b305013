import { messageOf } from '../../../shared/thrown.ts';

const states = ['ok', 'warning', 'fault'] as const;

/** One finding about an installation. */
export interface Check {
  readonly name: string;
  readonly state: (typeof states)[number];
  readonly found: string;
  /** How to correct it. */
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

/** Timeout of one check in ms: doctor must not hang with a disk or a server. */
const patienceMs = 4_000;

/** Returns the checks of `look`, or a fault if it fails or takes longer than `ms`. */
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
      fault(name, `no answer within ${ms / 1000} s`, 'Check whether the disk, the server or the network hangs'),
    ]),
  );
  try {
    return await Promise.race([look(late.signal), timedOut.promise]);
  } catch (error) {
    return [fault(name, messageOf(error), 'Fix the cause, then run this again')];
  } finally {
    clearTimeout(timer);
  }
}
