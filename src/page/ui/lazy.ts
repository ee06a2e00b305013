import { signal } from '@preact/signals';
import { h } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { closeDialog, dialog } from '../state/dialog.ts';
import { notify } from '../state/notifications.ts';

let isNotified = false;

/** Offers to reload the page: browsers do not retry a module that could not be loaded. */
export function notifyMissing(): void {
  if (isNotified) return;
  isNotified = true;
  const action = { label: 'Reload', run: () => location.reload() };
  notify('Part of the page could not be loaded. The rest still works', { kind: 'notice', action });
}

/**
 * Loads a part of the page on first use; returns undefined until it is loaded. If loading fails, notifies once, and
 * calls `missed` on each use.
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

/** Holds the focus while a form loads. Text typed in the meantime goes into the form instead of running commands. */
export function LoadingPlaceholder() {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { activeElement: before } = document;
    const { current: own } = box;
    own?.focus();
    return () => {
      if (document.activeElement !== own) return;
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
      queueMicrotask(() => own?.value && enter(own.value));
    };
  }, []);
  return h('input', { ref: box, class: 'fixed opacity-0', 'aria-busy': true, 'aria-label': 'Loading', onKeyDown });
}

/** Inserts a text at the caret as if typed, if the focus is in a form or its placeholder. */
function enter(text: string): void {
  if (document.activeElement?.closest('form, [aria-busy]')) document.execCommand('insertText', false, text);
}

/** Tab is ignored; Esc closes a dialog that is still loading. */
function onKeyDown(event: KeyboardEvent): void {
  const isLeft = event.key === 'Escape' && dialog.value;
  if (isLeft) closeDialog();
  if (isLeft || event.key === 'Tab') event.preventDefault();
}
