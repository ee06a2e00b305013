/** Caches the list for the next visit, in chunks short enough to fit between two keys. */
import { effect } from '@preact/signals';
import type { Note } from '../../../core/note.ts';
import {
  entityTag,
  isWriting as isSaving,
  type ListSnapshot,
  listCursor,
  loading,
  notes,
  offline,
  snapshotAt,
} from '../notes.ts';
import { answerOf, type Base, changesKey, type Head, headKey, openDatabase, storeIn } from './database.ts';
import { firstCount } from './first-notes.ts';
import { setListCached } from './is-cached.ts';
import { lastBase } from './last-visit.ts';

export { showLastVisit } from './last-visit.ts';

/** The delay of a write after a change, in ms. */
const waitMs = 2_000;
/** Writing a chunk takes about 5 ms. */
const chunkNotes = 500;
/** With more changes, all chunks are rewritten. */
const maxChanges = 1_000;
/** In ms. A tab that wrote this recently owns the cached list; other tabs do not replace it. */
const ownedMs = 600_000;

let base: Base | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let isWriting = false;

/** Writes the list after changes and when the page is hidden. Ignores failures. */
export function cacheList(): void {
  base = lastBase;
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
    const database = await openDatabase();
    base = await writeList(database, list, base);
    database.close();
    setListCached(true);
  } catch {
    // the next visit loads the list
  } finally {
    isWriting = false;
  }
}

/** The list, if it is in sync with the service. */
function listSnapshot(): ListSnapshot | undefined {
  const isInStep = loading.value.kind === 'ready' && !offline.value && snapshotAt.value === undefined && !isSaving();
  return isInStep
    ? { notes: notes.value, cursor: listCursor.value, entityTag: entityTag.now, at: Date.now() }
    : undefined;
}

/** Writes the list, as changes to `base` if possible. Returns the base to use from now on. */
async function writeList(database: IDBDatabase, list: ListSnapshot, base: Base | undefined): Promise<Base> {
  const changes = base && changesSince(base.notes, list.notes);
  const head = await answerOf<Head | undefined>(storeIn(database, 'readonly').get(headKey));
  if (base && changes && head?.base === base.id) {
    await writeChanges(database, headOf(list, base), changes);
    return base;
  }
  const isOwned = head !== undefined && head.base !== base?.id && Date.now() - head.at < ownedMs;
  return isOwned && base ? base : writeBase(database, list);
}

/** The added and replaced notes; undefined if there are too many, or notes of the base are missing. */
function changesSince(base: readonly Note[], list: readonly Note[]): readonly Note[] | undefined {
  const before = new Set(base);
  const changes = list.filter((note) => !before.has(note));
  if (changes.length > maxChanges) return undefined;
  const after = new Set(list);
  const changed = new Set(changes.map(({ id }) => id));
  return base.every((note) => after.has(note) || changed.has(note.id)) ? changes : undefined;
}

const headOf = ({ notes, ...rest }: ListSnapshot, base: Base): Head => ({
  ...rest,
  base: base.id,
  chunks: Math.ceil(base.notes.length / chunkNotes),
  first: notes.filter(({ archived }) => !archived).slice(0, firstCount),
});

/** Writes nothing if another tab has replaced the base. */
async function writeChanges(database: IDBDatabase, head: Head, changes: readonly Note[]): Promise<void> {
  const store = storeIn(database, 'readwrite');
  const now = await answerOf<Head | undefined>(store.get(headKey));
  if (now?.base !== head.base) return;
  store.put(changes, changesKey);
  store.put(head, headKey);
  await completed(store.transaction);
}

/** Writes the chunks first; the head makes them valid in the transaction that deletes all others. */
async function writeBase(database: IDBDatabase, list: ListSnapshot): Promise<Base> {
  const base = { id: crypto.getRandomValues(new Uint32Array(2)).join('-'), notes: list.notes };
  const head = headOf(list, base);
  for (let index = 0; index < head.chunks; index++) {
    await idle();
    const store = storeIn(database, 'readwrite');
    store.put(list.notes.slice(index * chunkNotes, (index + 1) * chunkNotes), [base.id, index]);
    await completed(store.transaction);
  }
  const store = storeIn(database, 'readwrite');
  for (const key of await answerOf(store.getAllKeys())) {
    if (!Array.isArray(key) || key[0] !== base.id) store.delete(key);
  }
  store.put(head, headKey);
  await completed(store.transaction);
  return base;
}

function completed(transaction: IDBTransaction): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error);
  return promise;
}

function idle(): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  if (typeof requestIdleCallback === 'function') requestIdleCallback(resolve);
  else setTimeout(resolve);
  return promise;
}
