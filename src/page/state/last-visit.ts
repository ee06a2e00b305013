/** Shows the list of the last visit before the service responds, and caches the list for the next one. */
import { effect } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import {
  awaitDatabaseRequest,
  firstNotesCount,
  headKey,
  type LastVisitHead,
  type LastVisitList,
  openDatabaseAndReadHead,
  openListDatabase,
  openListStore,
  readLastVisitHead,
  waitForPaint,
  writeListCachedFlag,
} from './last-visit-database.ts';
import { isWriteUnderWay as isSaving, listEntityTag } from './note-requests.ts';
import {
  isOffline,
  lastInSyncAt,
  listCursor,
  listLoadState,
  notes,
  showFirstNotesWhileLoading,
  staleListReason,
} from './notes.ts';
import { runWhenIdle } from './signal-helpers.ts';

const lastVisitTimeoutMs = 1_000;
/** In ms without a response, before the page warns that its list may be stale. */
const staleWarningMs = 3_000;
const listWriteDelayMs = 2_000;
/** Writing a chunk takes about 3 ms. Its key is the id of a note, divided by this. */
const notesPerChunk = 256;
/** Chunks written between two keys of the user. */
const chunksPerTurn = 2;
/** In ms. Other tabs leave a list alone that was written this recently. */
const foreignListProtectionMs = 600_000;

type Chunks = ReadonlyMap<number, readonly Note[]>;

/** The list that this tab has read or written last: its head, and its chunks. */
let knownList: { readonly id: string; readonly chunks: Chunks } | undefined;
let listWriteTimer: ReturnType<typeof setTimeout> | undefined;
let isWritingList = false;

/** Shows the list of the last visit: its first notes at once, then all. False if there is none, or not in time. */
export async function tryShowLastVisit(): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), lastVisitTimeoutMs));
  return Promise.race([showCachedList().catch(discardCachedList), late]);
}

function discardCachedList(): false {
  writeListCachedFlag(false);
  showFirstNotesWhileLoading([]);
  return false;
}

async function showCachedList(): Promise<boolean> {
  const { database, head: early } = await (window.cachedList ?? openDatabaseAndReadHead());
  if (early === undefined) return discardCachedList();
  showFirstNotesWhileLoading(early.first);
  await waitForPaint();
  const store = openListStore(database, 'readonly');
  const reading = awaitDatabaseRequest<(readonly Note[])[]>(store.getAll(IDBKeyRange.bound(0, Number.MAX_VALUE)));
  const head = await readLastVisitHead(store);
  const list = (await reading).flat().sort(compareNewestFirst);
  database.close();
  if (head?.count !== list.length) return discardCachedList(); // another tab is writing it
  if (listLoadState.value.kind === 'ready') return false;
  knownList = { id: head.id, chunks: splitIntoChunks(list) };
  setTimeout(() => {
    const isLate = lastInSyncAt.value !== undefined && !isOffline.value;
    if (isLate) staleListReason.value = 'The service has not answered yet';
  }, staleWarningMs);
  listEntityTag.value = head.entityTag;
  notes.value = list;
  listCursor.value = head.cursor;
  lastInSyncAt.value = head.at;
  listLoadState.value = { kind: 'ready' };
  return true;
}

export function startCachingList(): void {
  effect(() => {
    void notes.value;
    void listCursor.value;
    listWriteTimer ??= setTimeout(writeListIfInSync, listWriteDelayMs);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void writeListIfInSync();
  });
}

async function writeListIfInSync(): Promise<void> {
  clearTimeout(listWriteTimer);
  const list = isWritingList ? undefined : tryCreateSnapshot();
  listWriteTimer = list ? undefined : setTimeout(writeListIfInSync, listWriteDelayMs);
  if (list === undefined) return;
  isWritingList = true;
  try {
    const database = await openListDatabase();
    await writeChangedChunks(database, list);
    database.close();
    writeListCachedFlag(true);
  } catch {
    // the next visit loads the list
  } finally {
    isWritingList = false;
  }
}

function tryCreateSnapshot(): LastVisitList | undefined {
  const isInStep =
    listLoadState.value.kind === 'ready' && !isOffline.value && lastInSyncAt.value === undefined && !isSaving();
  return isInStep
    ? { notes: notes.value, cursor: listCursor.value, entityTag: listEntityTag.value, at: Date.now() }
    : undefined;
}

/** Writes the chunks that have changed, and the head last: without it the others are void. */
async function writeChangedChunks(database: IDBDatabase, { notes: list, ...rest }: LastVisitList): Promise<void> {
  const chunks = splitIntoChunks(list);
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const first = list.filter(({ archived }) => !archived).slice(0, firstNotesCount);
  const next: LastVisitHead = { ...rest, id, count: list.length, first };
  let store = openListStore(database, 'readwrite');
  const head = await readLastVisitHead(store);
  const before = head && head.id === knownList?.id ? knownList.chunks : undefined;
  if (head && !before && Date.now() - head.at < foreignListProtectionMs) return;
  const keys = [...chunks.keys()].filter((key) => !hasSameNotes(chunks.get(key), before?.get(key)));
  if (before === undefined) store.clear();
  for (const key of before?.keys() ?? []) if (!chunks.has(key)) store.delete(key);
  if (keys.length > chunksPerTurn) store.delete(headKey);
  while (keys.length > 0) {
    for (const key of keys.splice(0, chunksPerTurn)) store.put(chunks.get(key), key);
    if (keys.length === 0) break;
    await waitForCompletion(store.transaction);
    await new Promise<void>((resolve) => runWhenIdle(resolve));
    store = openListStore(database, 'readwrite');
  }
  store.put(next, headKey);
  await waitForCompletion(store.transaction);
  knownList = { id, chunks };
}

const splitIntoChunks = (list: readonly Note[]): Chunks =>
  Map.groupBy(list, ({ id }) => Math.floor(id / notesPerChunk));

const hasSameNotes = (one: readonly Note[] | undefined, other: readonly Note[] | undefined) =>
  one?.length === other?.length && one?.every((note, index) => note === other?.[index]) === true;

function waitForCompletion(transaction: IDBTransaction): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error);
  return promise;
}
