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

/** The check of a schema that programs can use that know `worksFrom` versions; this one knows `known`. */
export function schemaCheck(version: number, worksFrom: number, known: number): Check {
  const name = 'schema';
  if (version === 0) return ok(name, 'none yet: it is created at the next start');
  if (worksFrom > known) return fault(name, `version ${version}, of a newer version of Notes`, 'Update Notes');
  return ok(name, `version ${version}${version < known ? `, brought to ${known} at the next start` : ''}`);
}

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
