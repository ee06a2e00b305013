/** Shows the list of the last visit before the service responds, and caches the list for the next one. */
import { effect } from '@preact/signals';
import type { Note } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import {
  firstCount,
  firstNotesPainted,
  type Head,
  headKey,
  type ListSnapshot,
  openCache,
  openCachedList,
  readHead,
  resultOf,
  setListCached,
  storeIn,
} from './cached-list.ts';
import { whenIdle } from './effects.ts';
import {
  isWriting as isSaving,
  listCursor,
  listTag,
  loading,
  notes,
  offline,
  outOfDate,
  showFirst,
  snapshotAt,
} from './notes.ts';

const timeoutMs = 1_000;
/** In ms without a response, before the page warns that its list may be stale. */
const lateMs = 3_000;
const waitMs = 2_000;
/** Writing a chunk takes about 3 ms. Its key is the id of a note, divided by this. */
const chunkNotes = 256;
/** Chunks written between two keys of the user. */
const atOnce = 2;
/** In ms. Other tabs leave a list alone that was written this recently. */
const ownedMs = 600_000;

type Chunks = ReadonlyMap<number, readonly Note[]>;

/** The list that this tab has read or written last: its head, and its chunks. */
let known: { readonly id: string; readonly chunks: Chunks } | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let isWriting = false;

/** Shows the list of the last visit: its first notes at once, then all. False if there is none, or not in time. */
export async function showLastVisit(): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), timeoutMs));
  return Promise.race([show().catch(discardCached), late]);
}

function discardCached(): false {
  setListCached(false);
  showFirst([]);
  return false;
}

async function show(): Promise<boolean> {
  const { database, head: early } = await (window.cachedList ?? openCachedList());
  if (early === undefined) return discardCached();
  showFirst(early.first);
  await firstNotesPainted();
  const store = storeIn(database, 'readonly');
  const reading = resultOf<(readonly Note[])[]>(store.getAll(IDBKeyRange.bound(0, Number.MAX_VALUE)));
  const head = await readHead(store);
  const list = (await reading).flat().sort(compareNewestFirst);
  database.close();
  if (head?.count !== list.length) return discardCached(); // another tab is writing it
  if (loading.value.kind === 'ready') return false;
  known = { id: head.id, chunks: chunksOf(list) };
  setTimeout(() => {
    const isLate = snapshotAt.value !== undefined && !offline.value;
    if (isLate) outOfDate.value = 'The service has not answered yet';
  }, lateMs);
  listTag.value = head.entityTag;
  notes.value = list;
  listCursor.value = head.cursor;
  snapshotAt.value = head.at;
  loading.value = { kind: 'ready' };
  return true;
}

export function cacheList(): void {
  effect(() => {
    void notes.value;
    void listCursor.value;
    timer ??= setTimeout(write, waitMs);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void write();
  });
}

async function write(): Promise<void> {
  clearTimeout(timer);
  const list = isWriting ? undefined : listSnapshot();
  timer = list ? undefined : setTimeout(write, waitMs);
  if (list === undefined) return;
  isWriting = true;
  try {
    const database = await openCache();
    await writeList(database, list);
    database.close();
    setListCached(true);
  } catch {
    // the next visit loads the list
  } finally {
    isWriting = false;
  }
}

function listSnapshot(): ListSnapshot | undefined {
  const isInStep = loading.value.kind === 'ready' && !offline.value && snapshotAt.value === undefined && !isSaving();
  return isInStep
    ? { notes: notes.value, cursor: listCursor.value, entityTag: listTag.value, at: Date.now() }
    : undefined;
}

/** Writes the chunks that have changed, and the head last: without it the others are void. */
async function writeList(database: IDBDatabase, { notes: list, ...rest }: ListSnapshot): Promise<void> {
  const chunks = chunksOf(list);
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const first = list.filter(({ archived }) => !archived).slice(0, firstCount);
  const next: Head = { ...rest, id, count: list.length, first };
  let store = storeIn(database, 'readwrite');
  const head = await readHead(store);
  const before = head && head.id === known?.id ? known.chunks : undefined;
  if (head && !before && Date.now() - head.at < ownedMs) return;
  const keys = [...chunks.keys()].filter((key) => !hasSameNotes(chunks.get(key), before?.get(key)));
  if (before === undefined) store.clear();
  for (const key of before?.keys() ?? []) if (!chunks.has(key)) store.delete(key);
  if (keys.length > atOnce) store.delete(headKey);
  while (keys.length > 0) {
    for (const key of keys.splice(0, atOnce)) store.put(chunks.get(key), key);
    if (keys.length === 0) break;
    await completed(store.transaction);
    await new Promise<void>((resolve) => whenIdle(resolve));
    store = storeIn(database, 'readwrite');
  }
  store.put(next, headKey);
  await completed(store.transaction);
  known = { id, chunks };
}

const chunksOf = (list: readonly Note[]): Chunks => Map.groupBy(list, ({ id }) => Math.floor(id / chunkNotes));

const hasSameNotes = (one: readonly Note[] | undefined, other: readonly Note[] | undefined) =>
  one?.length === other?.length && one?.every((note, index) => note === other?.[index]) === true;

function completed(transaction: IDBTransaction): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error);
  return promise;
}
