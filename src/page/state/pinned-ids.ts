/** The pinned notes: stored by the service, with a copy in this browser for the first paint. */
import { computed, signal } from '@preact/signals';
import { pagePath, readStorageArrayOrEmpty } from './page-storage.ts';

export const pinsKey = `notes.pins:${pagePath}`;

/** The ids as they are shown, newest pin first: also with changes that the service has not confirmed. */
export const shownPinIds = signal(readStorageArrayOrEmpty<number>(pinsKey));

export const pinnedIdSet = computed((): ReadonlySet<number> => new Set(shownPinIds.value));

/** Sends the changes that wait, or reads the pins if there are none. */
export const loadAndSyncPins = (): Promise<void> =>
  import('./sync-pins.ts').then(
    (part) => part.sendOrReadPins(),
    () => {}, // the service is away, and the part is not cached: the next call tries again
  );
