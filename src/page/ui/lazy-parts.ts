import { signal } from '@preact/signals';
import { type Attributes, type FunctionComponent, h } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { closeDialog, dialog } from '../state/dialog.ts';
import { notify } from '../state/notifications.ts';

let isLoadFailureNotified = false;

/** Offers to reload the page: browsers do not retry a module that could not be loaded. */
export function notifyLoadFailureOnce(): void {
  if (isLoadFailureNotified) return;
  isLoadFailureNotified = true;
  const action = { label: 'Reload', run: () => location.reload() };
  notify('Part of the page could not be loaded. The rest still works', { kind: 'notice', action });
}

/** Loads a part of the page on first use. If that fails, notifies once, and calls `missed` on each use. */
export function createLazyPartGetter<Part>(load: () => Promise<Part>, missed = () => {}): () => Part | undefined {
  const part = signal<Part>();
  let isAsked = false;
  let isMissing = false;
  const arrive = (arrived: Part) => {
    part.value = arrived;
  };
  const miss = () => {
    isMissing = true;
    notifyLoadFailureOnce();
    missed();
  };
  return () => {
    if (!isAsked) load().then(arrive, miss);
    isAsked = true;
    if (isMissing) queueMicrotask(missed);
    return part.value;
  };
}

/** A view that is loaded on first use, or earlier by `prepare`. */
export function createLazyView<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  missed?: () => void,
) {
  const prepare = createLazyPartGetter(load, missed);
  const View = (props: Props & Attributes) => {
    const Loaded = prepare();
    return Loaded ? h(Loaded, props) : null;
  };
  return Object.assign(View, { prepare });
}

/** Holds the focus while a form loads. Text typed in the meantime goes into the form instead of running commands. */
export function TypingPlaceholder() {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { activeElement: before } = document;
    const { current: own } = box;
    own?.focus();
    return () => {
      if (document.activeElement !== own) return;
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
      queueMicrotask(() => {
        const isInForm = document.activeElement?.closest('form, [aria-busy]');
        if (own?.value && isInForm) document.execCommand('insertText', false, own.value); // as if typed
      });
    };
  }, []);
  return h('input', {
    ref: box,
    class: 'fixed opacity-0',
    'aria-busy': true,
    'aria-label': 'Loading',
    onKeyDown: handlePlaceholderKey,
  });
}

function handlePlaceholderKey(event: KeyboardEvent): void {
  const isLeft = event.key === 'Escape' && dialog.value;
  if (isLeft) closeDialog();
  if (isLeft || event.key === 'Tab') event.preventDefault();
}
