/** The list of the last visit in IndexedDB, with a head that is read in a few ms; without it, the first notes. */
import type { Note } from '../../core/note.ts';
import { pagePath, readStorageItem, writeOrRemoveStorageItem } from './page-storage.ts';

/** The name of the database, and of the localStorage item that says that it has a list. */
const listDatabaseName = `notes.list:${pagePath}`;

/** Increase it when the fields of notes change: lists of other versions are dropped. */
const listDatabaseVersion = 2;

export interface LastVisitList {
  readonly notes: readonly Note[];
  readonly cursor: string | undefined;
  readonly entityTag: string | undefined;
  /** In ms since 1970. */
  readonly at: number;
}

export interface LastVisitHead extends Omit<LastVisitList, 'notes'> {
  /** New with each write: a tab knows by it whether another one has written since. */
  readonly id: string;
  readonly count: number;
  readonly first: readonly Note[];
}

export const headKey = 'head';

/** Known synchronously, before the page requests the list. */
export const isListCached = (): boolean => readStorageItem(listDatabaseName) !== undefined;
export const writeListCachedFlag = (isCached: boolean): boolean =>
  writeOrRemoveStorageItem(listDatabaseName, isCached ? 'cached' : undefined);

/** Rejects if the browser forbids databases. */
export async function openListDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(listDatabaseName, listDatabaseVersion);
  request.onupgradeneeded = () => {
    const { result } = request;
    for (const store of result.objectStoreNames) result.deleteObjectStore(store);
    result.createObjectStore(listDatabaseName);
  };
  const database = await awaitDatabaseRequest(request);
  database.onversionchange = () => database.close();
  return database;
}

export const openListStore = (database: IDBDatabase, mode: IDBTransactionMode): IDBObjectStore =>
  database.transaction(listDatabaseName, mode).objectStore(listDatabaseName);

export function awaitDatabaseRequest<Result>(request: IDBRequest<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
  return promise;
}

export const readLastVisitHead = (store: IDBObjectStore): Promise<LastVisitHead | undefined> =>
  awaitDatabaseRequest(store.get(headKey));

type OpenedListDatabase = Readonly<{ database: IDBDatabase; head: LastVisitHead | undefined }>;

declare global {
  interface Window {
    /** Read by `head.ts` while the scripts load; undefined if no list is cached. */
    cachedList?: Promise<OpenedListDatabase>;
    /** Requested by `head.ts` while the scripts load; undefined if the URL selects another list. */
    firstNotes?: Promise<readonly Note[]>;
  }
}

export async function openDatabaseAndReadHead(): Promise<OpenedListDatabase> {
  const database = await openListDatabase();
  return { database, head: await readLastVisitHead(openListStore(database, 'readonly')) };
}

export const firstNotesCount = 60;

/** In ms. Then the whole list, which is loading meanwhile, is no longer delayed. */
const firstNotesTimeoutMs = 1_000;

/** Loads the first notes from the service; none if it answers with an error. Rejects on timeout. */
export const fetchFirstNotes = (): Promise<readonly Note[]> =>
  fetch(`api/search?archived=false&limit=${firstNotesCount}`, {
    signal: AbortSignal.timeout(firstNotesTimeoutMs),
  }).then((answer) => (answer.ok ? answer.json() : []));

/** Resolves once the first notes are painted, but within 100 ms: a hidden page paints nothing. */
export const waitForPaint = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100);
  });
