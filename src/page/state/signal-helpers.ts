import { effect, type Signal, untracked, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Runs `run` once, as soon as `isSo`, which reads signals, is true. */
export function runOnceWhen(isSo: () => boolean, run: () => void): void {
  const stop = effect(() => {
    if (!isSo()) return;
    untracked(run);
    queueMicrotask(() => stop());
  });
}

/** In ms. Quicker changes wait until they pause this long. */
const quickChangeMs = 150;

/** Runs `run` once what `read` reads has changed and is painted; at the next pause if changes are quick or slow. */
export function runAfterPaint<Value>(read: () => Value, run: () => void, isSlow = (_: Value) => false): void {
  let changedAt = 0;
  let changes = 0;
  effect(() => {
    const own = ++changes;
    const before = changedAt;
    changedAt = performance.now();
    const delay = isSlow(read()) || changedAt - before < quickChangeMs ? quickChangeMs : 0;
    requestAnimationFrame(() => setTimeout(() => own === changes && run(), delay));
  });
}

/** The last value loaded; loads again when `inputs` change, and aborts or drops what arrives after that. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Signal<Value | undefined> {
  const loaded = useSignal<Value | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    void load(leaving.signal).then((value) => {
      if (!leaving.signal.aborted) loaded.value = value;
    });
    return () => leaving.abort();
  }, inputs);
  return loaded;
}

export const createSetter =
  <Value>(signal: Signal<Value>, value: Value) =>
  (): void => {
    signal.value = value;
  };

/** Safari has no idle callbacks. */
export const runWhenIdle: (run: () => void, options?: IdleRequestOptions) => void =
  typeof requestIdleCallback === 'function' ? requestIdleCallback : (run) => setTimeout(run);
