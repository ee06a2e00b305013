import { signal } from '@preact/signals';
import { notify } from '../state/notifications.ts';

/** Whether it was said that a part is missing: once is enough. */
let isNotified = false;

/** Browsers remember a part that could not be loaded, so only loading the page anew brings it. */
export function notifyMissing(): void {
  if (isNotified) return;
  isNotified = true;
  const action = { label: 'Reload', run: () => location.reload() };
  notify('A part of the page could not be loaded: it goes on without', { kind: 'notice', action });
}

/**
 * A part of the page that arrives once it is asked for. Until then there is none; when it cannot be had, that is said, and
 * `missed` is called, each time.
 */
export function lazy<Part>(load: () => Promise<Part>, missed = () => {}): () => Part | undefined {
  const part = signal<Part>();
  let state: 'wanted' | 'coming' | 'missing' = 'wanted';
  const arrive = (arrived: Part) => {
    part.value = arrived;
  };
  const miss = () => {
    state = 'missing';
    notifyMissing();
    missed();
  };
  return () => {
    if (state === 'wanted') {
      state = 'coming';
      load().then(arrive, miss);
    }
    if (state === 'missing') queueMicrotask(missed);
    return part.value;
  };
}
