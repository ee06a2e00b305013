import { signal } from '@preact/signals';
import { type ComponentType, h } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { notify } from '../state/notifications.ts';
import { focusAwaited } from './focus.ts';

/** Missing parts are notified once per page. */
let isNotified = false;

/** Offers to reload the page: browsers do not retry a module that could not be loaded. */
export function notifyMissing(): void {
  if (isNotified) return;
  isNotified = true;
  const action = { label: 'Reload', run: () => location.reload() };
  notify('A part of the page could not be loaded: it goes on without', { kind: 'notice', action });
}

/**
 * Loads a part of the page when it is first asked for, and returns undefined until it is there. If it cannot be loaded,
 * notifies once, and calls `missed` at each request.
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

/** A view that is loaded when it is first drawn; until it is there, nothing is drawn. What it brings can take the focus. */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>, missed?: () => void) {
  const part = lazy(load, missed);
  return (props: Props) => {
    const View = part();
    useLayoutEffect(focusAwaited, [View]);
    return View ? h(View, props) : null;
  };
}
