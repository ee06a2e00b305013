/** Whether long lines of code are wrapped in this browser. */
import { effect, signal } from '@preact/signals';
import { readStorageItem, writeOrRemoveStorageItem } from '../state/page-storage.ts';

const storageKey = 'notes.wrap';

export const wrapsCodeLines = signal(readStorageItem(storageKey) === 'on');

effect(() => {
  writeOrRemoveStorageItem(storageKey, wrapsCodeLines.value ? 'on' : undefined);
  document.documentElement.toggleAttribute('data-wrap', wrapsCodeLines.value);
});

/** Whether the shown note has lines that would be wrapped: shell commands always are. */
export const hasUnwrappedCode = (): boolean =>
  document.querySelector('.detail-body .code-block pre:not(.is-wrapped)') !== null;
