import { signal } from '@preact/signals';
import { type ComponentType, h } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { closeDialog, dialog } from '../state/dialog.ts';
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

/**
 * A view that is loaded when it is first drawn. Until it is there, `Coming` is drawn where it is a form, else nothing. What it
 * brings can take the focus.
 */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  missed?: () => void,
  isForm?: () => boolean,
) {
  const part = lazy(load, missed);
  return (props: Props) => {
    const View = part();
    useLayoutEffect(focusAwaited, [View]);
    return View ? h(View, props) : isForm?.() ? h(Coming, null) : null;
  };
}

/** Has the focus until a form is there, and gives it back. What is typed meanwhile is no command, and gets into the form. */
export function Coming() {
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

/** Writes a text where the caret is, as typing does, if that is in a form or in what stands for one. */
function enter(text: string): void {
  if (document.activeElement?.closest('form, [aria-busy]')) document.execCommand('insertText', false, text);
}

/** Tab goes nowhere else, and Esc does not wait for a dialog. */
function onKeyDown(event: KeyboardEvent): void {
  const isLeft = event.key === 'Escape' && dialog.value;
  if (isLeft) closeDialog();
  if (isLeft || event.key === 'Tab') event.preventDefault();
}
