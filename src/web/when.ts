import { effect, untracked } from '@preact/signals';

/** Runs `run` once, as soon as `isSo`, which reads signals, is true. */
export function when(isSo: () => boolean, run: () => void): void {
  const stop = effect(() => {
    if (!isSo()) return;
    untracked(run);
    queueMicrotask(() => stop());
  });
}
