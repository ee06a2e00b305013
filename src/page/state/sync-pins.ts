/** Sends pins to the service, and reads them. Loaded after the first notes. */
import { createPinClient } from '../../client/pin-client.ts';
import { ServiceConnection } from '../../client/service-connection.ts';
import { isConflictError, NoteError } from '../../core/error.ts';
import { maxPins, type Pins } from '../../core/pins.ts';
import { client, fetchAndUpdateSignedOut, handleFailureAndFormat, serviceBaseUrl } from './note-requests.ts';
import { findNoteById, isOffline } from './notes.ts';
import { notify } from './notifications.ts';
import { pagePath, readStorageArrayOrEmpty, writeOrRemoveStorageItem } from './page-storage.ts';
import { pinsKey, shownPinIds } from './pinned-ids.ts';
import { runOnceWhen } from './signal-helpers.ts';

const pinClient = createPinClient(new ServiceConnection(serviceBaseUrl, { send: fetchAndUpdateSignedOut }));

/** A note to pin or unpin. */
type PinChange = readonly [id: number, isPinned: boolean];

/**
 * The changes that the service has not confirmed, at most one for each note. They wait while it is away; tabs share
 * them.
 */
const unsentPinChangesKey = `notes.unsent-pins:${pagePath}`;

/** Reads the changes that wait; another tab may have added some. */
const readUnsentPinChanges = () => readStorageArrayOrEmpty<PinChange>(unsentPinChangesKey);

/**
 * Pins or unpins notes at once, and sends that once the service can be reached. The first one becomes the first pin.
 */
export function setPinnedAndSync(ids: readonly number[], isPinned: boolean): void {
  const others = readUnsentPinChanges().filter(([id]) => !ids.includes(id));
  const changes = ids.toReversed().map((id): PinChange => [id, isPinned]);
  showAndStorePins(readStorageArrayOrEmpty(pinsKey), [...others, ...changes]);
  void sendOrReadPins();
}

/** Shows pins with the changes that wait, and stores both. */
function showAndStorePins(ids: readonly number[], unsent: readonly PinChange[]): void {
  shownPinIds.value = applyPinChanges(ids, unsent);
  writeStorageArray(pinsKey, shownPinIds.value);
  writeStorageArray(unsentPinChangesKey, unsent);
}

/** The note that was pinned last becomes the first. One that is pinned already stays where it is. */
const applyPinChanges = (ids: readonly number[], changes: readonly PinChange[]): readonly number[] => [
  ...changes.flatMap(([id, isPinned]) => (isPinned && !ids.includes(id) ? id : [])).reverse(),
  ...ids.filter((id) => !changes.some(([changed, isPinned]) => changed === id && !isPinned)),
];

function writeStorageArray(key: string, items: readonly unknown[]): void {
  writeOrRemoveStorageItem(key, items.length > 0 ? JSON.stringify(items) : undefined);
}

/** Follows what other tabs and devices pin. An event stream that opens calls `loadAndSyncPins` as well. */
export function syncAndWatchPins(): void {
  void sendOrReadPins();
  window.addEventListener('focus', () => void sendOrReadPins());
  window.addEventListener('storage', ({ key }) => {
    if (key === pinsKey) shownPinIds.value = readStorageArrayOrEmpty(pinsKey);
  });
}

let currentSync: Promise<void> | undefined;
let isSyncDue = false;

/** Sends the changes that wait, or reads the pins if there are none. A call during another one makes that one go on. */
export function sendOrReadPins(): Promise<void> {
  isSyncDue = true;
  currentSync ??= syncPinsWhileDue().finally(() => {
    currentSync = undefined;
  });
  return currentSync;
}

async function syncPinsWhileDue(): Promise<void> {
  while (isSyncDue) {
    isSyncDue = false;
    try {
      await runInOneTab(async () => syncPinsOnce(await pinClient.readPins()));
    } catch (error) {
      handleFailureAndFormat(error); // the pins of before stay shown, and the changes wait
      if (isOffline.value)
        runOnceWhen(
          () => !isOffline.value,
          () => void sendOrReadPins(),
        );
    }
  }
}

/** Tabs share the changes that wait: only one of them sends these at a time. Pages without https have no locks. */
async function runInOneTab(work: () => Promise<void>): Promise<void> {
  const locks: LockManager | undefined = navigator.locks;
  await (locks ? locks.request(unsentPinChangesKey, work) : work());
}

/** Applies the changes that wait to the pins of the service. If these have changed meanwhile, it is due again. */
async function syncPinsOnce(read: Pins): Promise<void> {
  const changes = readUnsentPinChanges();
  const ids = applyPinChanges(read.ids, changes);
  try {
    const { ids: stored } = ids.join() === read.ids.join() ? read : await pinClient.replacePins(ids, [read.revision]);
    showPinsAndForgetSent(stored, changes);
    void notifyBrowserPins();
  } catch (error) {
    if (isConflictError(error)) isSyncDue = true;
    else if (error instanceof NoteError && error.code === 'invalid') {
      showPinsAndForgetSent(read.ids, changes);
      notify(`Not pinned: ${error.message}`, { kind: 'failure' });
    } else throw error;
  }
}

/** Shows what the service has stored, and forgets the changes that it contains, but not those made in the meantime. */
function showPinsAndForgetSent(ids: readonly number[], sent: readonly PinChange[]): void {
  const isSent = ([id, isPinned]: PinChange) => sent.some((change) => change[0] === id && change[1] === isPinned);
  showAndStorePins(
    ids,
    readUnsentPinChanges().filter((change) => !isSent(change)),
  );
}

/** Before pins were the service's, each browser had its own under this key, newest last. */
const browserPinsKey = `notes.pinned:${pagePath}`;
let areBrowserPinsOffered = false;

/** Offers to pin what was pinned in this browser alone, until that is accepted or declined. */
async function notifyBrowserPins(): Promise<void> {
  const own = readStorageArrayOrEmpty<number>(browserPinsKey).toReversed();
  if (areBrowserPinsOffered || own.length === 0) return;
  areBrowserPinsOffered = true;
  const existing = await Promise.all(own.map(fetchIdIfExists)).catch(() => []); // not known while the service is away
  areBrowserPinsOffered = existing.length > 0;
  if (!areBrowserPinsOffered) return;
  const forget = () => writeOrRemoveStorageItem(browserPinsKey, undefined);
  const unpinned = existing.flat().filter((id) => !shownPinIds.value.includes(id));
  const ids = unpinned.slice(0, Math.max(0, maxPins - shownPinIds.value.length));
  if (ids.length === 0) return void forget();
  const text = `${ids.length === 1 ? '1 note is' : `${ids.length} notes are`} pinned in this browser only`;
  const action = { label: 'Pin everywhere', run: () => setPinnedAndSync(ids, true) };
  notify(text, { kind: 'notice', action, onClose: forget });
}

/**
 * Returns the id, or none if there is no such note. Asks the service for a note that the page does not know, as the
 * stored list of the last visit may lack it.
 */
async function fetchIdIfExists(id: number): Promise<readonly number[]> {
  try {
    if (!findNoteById(id)) await client.get(id);
    return [id];
  } catch (error) {
    if (error instanceof NoteError && error.code === 'not_found') return [];
    throw error;
  }
}
