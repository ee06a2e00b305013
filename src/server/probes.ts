import type { Log } from '../http/log.ts';
import type { Metrics } from '../http/metrics.ts';
import { maxDescriptors } from '../shared/descriptors.ts';

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

/** Without free descriptors, the runtime accepts no connections and spins. */
export function warnOfFewDescriptors(log: Log): void {
  const limit = maxDescriptors();
  if (limit < 4096)
    log.warn({ limit }, `Only ${limit} files may be open. Raise the limit with "ulimit -n" or LimitNOFILE`);
}
