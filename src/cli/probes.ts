import { readFileSync } from 'node:fs';
import type { Log } from '../http/log.ts';
import type { Metrics } from '../http/metrics.ts';

const lagProbeMs = 500;

/** Measures how late timers fire: the longest pause of the event loop. */
export function probeLoop(metrics: Metrics): Disposable {
  let expected = performance.now() + lagProbeMs;
  const timer = setInterval(() => {
    metrics.observeLoopLag(Math.max(0, performance.now() - expected) / 1000);
    expected = performance.now() + lagProbeMs;
  }, lagProbeMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Out of descriptors, the runtime accepts no connection and spins. Only Linux tells the limit as a file. */
export function warnOfFewDescriptors(log: Log): void {
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return;
  }
  const soft = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (soft < 4096)
    log.warn({ limit: soft }, `Only ${soft} files may be open. Raise it with "ulimit -n" or LimitNOFILE`);
}
