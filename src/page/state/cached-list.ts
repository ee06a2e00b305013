/** The list of the last visit in IndexedDB, with a head that is read in a few ms; without it, the first notes. */
import type { Note } from '../../core/note.ts';
import { pagePath, readItem, writeItem } from './storage.ts';

/** The name of the database, and of the localStorage item that says that it has a list. */
const name = `notes.list:${pagePath}`;

/** Increase it when the fields of notes change: lists of other versions are dropped. */
const version = 2;

export interface ListSnapshot {
  readonly notes: readonly Note[];
  readonly cursor: string | undefined;
  readonly entityTag: string | undefined;
  /** In ms since 1970. */
  readonly at: number;
}

export interface Head extends Omit<ListSnapshot, 'notes'> {
  /** New with each write: a tab knows by it whether another one has written since. */
  readonly id: string;
  readonly count: number;
  readonly first: readonly Note[];
}

export const headKey = 'head';

/** Known synchronously, before the page requests the list. */
export const isListCached = (): boolean => readItem(name) !== undefined;
export const setListCached = (isCached: boolean): boolean => writeItem(name, isCached ? 'cached' : undefined);

/** Rejects if the browser forbids databases. */
export async function openCache(): Promise<IDBDatabase> {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    const { result } = request;
    for (const store of result.objectStoreNames) result.deleteObjectStore(store);
    result.createObjectStore(name);
  };
  const database = await resultOf(request);
  database.onversionchange = () => database.close();
  return database;
}

export const storeIn = (database: IDBDatabase, mode: IDBTransactionMode): IDBObjectStore =>
  database.transaction(name, mode).objectStore(name);

export function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
  return promise;
}

export const readHead = (store: IDBObjectStore): Promise<Head | undefined> => resultOf(store.get(headKey));

type OpenedList = Readonly<{ database: IDBDatabase; head: Head | undefined }>;

declare global {
  interface Window {
    /** Read by `head.ts` while the scripts load; undefined if no list is cached. */
    cachedList?: Promise<OpenedList>;
    /** Requested by `head.ts` while the scripts load; undefined if the URL selects another list. */
    firstNotes?: Promise<readonly Note[]>;
  }
}

export async function openCachedList(): Promise<OpenedList> {
  const database = await openCache();
  return { database, head: await readHead(storeIn(database, 'readonly')) };
}

export const firstCount = 60;

/** In ms. Then the whole list, which is loading meanwhile, is no longer delayed. */
const timeoutMs = 1_000;

/** Loads the first notes from the service; none if it answers with an error. Rejects on timeout. */
export const askForFirst = (): Promise<readonly Note[]> =>
  fetch(`api/search?archived=false&limit=${firstCount}`, { signal: AbortSignal.timeout(timeoutMs) }).then((answer) =>
    answer.ok ? answer.json() : [],
  );

/** Resolves once the first notes are painted, but within 100 ms: a hidden page paints nothing. */
export const firstNotesPainted = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100);
  });
