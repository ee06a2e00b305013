import { effect, untracked } from '@preact/signals';

/** Runs `run` once, as soon as `isSo`, which reads signals, is true. */
export function when(isSo: () => boolean, run: () => void): void {
  const stop = effect(() => {
    if (!isSo()) return;
    untracked(run);
    queueMicrotask(() => stop());
  });
}

/** In ms. Quicker changes wait until they pause this long. */
const pauseMs = 150;

/**
 * Runs `run` after changes of the signals that `read` reads: after the next paint, or at the next pause of quick
 * changes. `isSlow`: whether to wait for a pause in any case.
 */
export function afterPaint<Value>(read: () => Value, run: () => void, isSlow = (_: Value) => false): void {
  let changedAt = 0;
  let changes = 0;
  effect(() => {
    const own = ++changes;
    const before = changedAt;
    changedAt = performance.now();
    const delay = isSlow(read()) || changedAt - before < pauseMs ? pauseMs : 0;
    requestAnimationFrame(() => setTimeout(() => own === changes && run(), delay));
  });
}
