import { messageOf } from '../../../shared/thrown.ts';
import { unlessAborted } from '../../interruption.ts';

/** One finding about an installation. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'fault';
  readonly found: string;
  /** How to correct it. */
  readonly remedy?: string;
}

export const ok = (name: string, found: string): Check => ({ name, state: 'ok', found });
const inState =
  (state: Check['state']) =>
  (name: string, found: string, remedy: string): Check => ({ name, state, found, remedy });
export const warning = inState('warning');
export const fault = inState('fault');

/** Timeout of one check in ms: doctor must not hang with a disk or a server. */
const timeoutMs = 4_000;

/** Returns the checks of `examine`, or a fault if it fails or takes longer than `ms`. */
export async function within(
  name: string,
  examine: (signal: AbortSignal) => Promise<readonly Check[]>,
  ms = timeoutMs,
): Promise<readonly Check[]> {
  const late = new AbortController();
  const timer = Number.isFinite(ms) ? setTimeout(() => late.abort(), ms) : undefined;
  try {
    return await unlessAborted(examine(late.signal), late.signal);
  } catch (error) {
    const remedy = 'Check whether the disk, the server or the network hangs';
    if (late.signal.aborted) return [fault(name, `no answer within ${ms / 1000} s`, remedy)];
    return [fault(name, messageOf(error), 'Fix the cause, then run this again')];
  } finally {
    clearTimeout(timer);
  }
}
