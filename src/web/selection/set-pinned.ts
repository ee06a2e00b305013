import { pinned, pinnedKey, readPinned } from '../state/order/pinned.ts';
import { writeItem } from '../state/storage.ts';

/** Pins or unpins notes in this browser. */
export function setPinned(ids: readonly number[], isPinned: boolean): void {
  const next = new Set(readPinned()); // another tab may have pinned others
  for (const id of ids) isPinned ? next.add(id) : next.delete(id);
  writeItem(pinnedKey, next.size > 0 ? JSON.stringify([...next]) : undefined);
  pinned.value = next;
}
