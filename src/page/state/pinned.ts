/** The notes pinned in this browser. */
import { signal } from '@preact/signals';
import { pagePath, readJson } from './storage.ts';

export const pinnedKey = `notes.pinned:${pagePath}`;

export function readPinned(): ReadonlySet<number> {
  const stored = readJson(pinnedKey);
  return new Set(Array.isArray(stored) ? stored.filter(Number.isSafeInteger) : []);
}

/** Ids. */
export const pinned = signal(readPinned());

window.addEventListener('storage', (event) => {
  if (event.key === pinnedKey) pinned.value = readPinned();
});
