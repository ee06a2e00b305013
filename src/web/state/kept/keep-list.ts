/** Keeps the list for the next visit, written in pieces that fit between two keys. Loaded once there is one. */
import { effect } from '@preact/signals';
import type { Note } from '../../../domain/note.ts';
import {
  entityTag,
  isWriting as isSaving,
  listCursor,
  loading,
  notes,
  offline,
  type ToldList,
  toldAt,
} from '../notes.ts';
import { answerOf, type Base, changesKey, type Head, headKey, openDatabase, storeIn } from './database.ts';
import { firstCount } from './first-notes.ts';
import { setListKept } from './is-kept.ts';
import { lastBase } from './last-visit.ts';

export { showLastVisit } from './last-visit.ts';

/** How long after a change the list is written, in ms. */
const waitMs = 2_000;
/** Writing a chunk takes about 5 ms. */
const chunkNotes = 500;
/** With more changes than these, all chunks are written anew. */
const maxChanges = 1_000;
/** Another tab that has written within this time, in ms, goes on with it. */
const ownedMs = 600_000;

let base: Base | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let isWriting = false;

/** Writes the list after each change, and when the page is left. Does without where the browser refuses. */
export function keepList(): void {
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
  const list = isWriting ? undefined : toldList();
  timer = list ? undefined : setTimeout(write, waitMs);
  if (list === undefined) return;
  isWriting = true;
  try {
    const database = await openDatabase();
    base = await writeList(database, list, base);
    database.close();
    setListKept(true);
  } catch {
    // the next visit loads the list
  } finally {
    isWriting = false;
  }
}

/** The list, if it is in step with the service. */
function toldList(): ToldList | undefined {
  const isInStep = loading.value.kind === 'ready' && !offline.value && toldAt.value === undefined && !isSaving();
  return isInStep
    ? { notes: notes.value, cursor: listCursor.value, entityTag: entityTag.now, at: Date.now() }
    : undefined;
}

/** Writes the list, as changes of `base` if it can. Returns the base that it is kept by from now on. */
async function writeList(database: IDBDatabase, list: ToldList, base: Base | undefined): Promise<Base> {
  const changes = base && changesSince(base.notes, list.notes);
  const head = await answerOf<Head | undefined>(storeIn(database, 'readonly').get(headKey));
  if (base && changes && head?.base === base.id) {
    await writeChanges(database, headOf(list, base), changes);
    return base;
  }
  const isOwned = head !== undefined && head.base !== base?.id && Date.now() - head.at < ownedMs;
  return isOwned && base ? base : writeBase(database, list);
}

/** Undefined when the list can not be made of the base by adding and replacing notes, or not by few. */
function changesSince(base: readonly Note[], list: readonly Note[]): readonly Note[] | undefined {
  const before = new Set(base);
  const changes = list.filter((note) => !before.has(note));
  if (changes.length > maxChanges) return undefined;
  const after = new Set(list);
  const changed = new Set(changes.map(({ id }) => id));
  return base.every((note) => after.has(note) || changed.has(note.id)) ? changes : undefined;
}

const headOf = ({ notes, ...told }: ToldList, base: Base): Head => ({
  ...told,
  base: base.id,
  chunks: Math.ceil(base.notes.length / chunkNotes),
  first: firstOf(notes),
});

function firstOf(notes: readonly Note[]): readonly Note[] {
  const first: Note[] = [];
  for (const note of notes) {
    if (first.length === firstCount) break;
    if (!note.archived) first.push(note);
  }
  return first;
}

/** Writes nothing where another tab has written another base. */
async function writeChanges(database: IDBDatabase, head: Head, changes: readonly Note[]): Promise<void> {
  const store = storeIn(database, 'readwrite');
  const now = await answerOf<Head | undefined>(store.get(headKey));
  if (now?.base !== head.base) return;
  store.put(changes, changesKey);
  store.put(head, headKey);
  await completed(store.transaction);
}

/** The chunks come first: only a head makes them count, and then all others go. */
async function writeBase(database: IDBDatabase, list: ToldList): Promise<Base> {
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
