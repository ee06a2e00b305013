/** The notes that are pinned in this browser. */
import { signal } from '@preact/signals';
import { parsed } from '../../../shared/json.ts';
import { pagePath, readItem, writeItem } from '../storage.ts';

const key = `notes.pinned:${pagePath}`;

function read(): ReadonlySet<number> {
  const kept = parsed(readItem(key) ?? '');
  return new Set(Array.isArray(kept) ? kept.filter(Number.isSafeInteger) : []);
}

/** Their ids. */
export const pinned = signal(read());

export function setPinned(ids: readonly number[], isPinned: boolean): void {
  const next = new Set(read());
  for (const id of ids) isPinned ? next.add(id) : next.delete(id);
  writeItem(key, next.size > 0 ? JSON.stringify([...next]) : undefined);
  pinned.value = next;
}

window.addEventListener('storage', (event) => {
  if (event.key === key) pinned.value = read();
});
