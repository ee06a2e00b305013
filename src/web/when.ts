import { effect, untracked } from '@preact/signals';

/** Runs once, as soon as what it reads of signals makes a condition true. */
export function when(isSo: () => boolean, run: () => void): void {
  const stop = effect(() => {
    if (!isSo()) return;
    untracked(run);
    queueMicrotask(() => stop());
  });
}
