/**
 * The list of the last visit in IndexedDB: immutable chunks of notes, the changes since, and a head that can be read in
 * a few ms. The head refers to its chunks, so that two tabs never mix their lists.
 */
import type { Note } from '../../../core/note.ts';
import type { ListSnapshot } from '../notes.ts';
import { cacheName as name } from './is-cached.ts';

/** Increase it when the fields of notes change: lists of other versions are dropped. */
const version = 1;

/** The notes of the chunks of a head. */
export interface Base {
  readonly id: string;
  readonly notes: readonly Note[];
}

export interface Head extends Omit<ListSnapshot, 'notes'> {
  /** The id of the base; the keys of its chunks are `[base, 0]` and so on. */
  readonly base: string;
  readonly chunks: number;
  /** The notes at the top of the list. */
  readonly first: readonly Note[];
}

/** The keys of the head, and of the notes changed since the base was written. */
export const headKey = 'head';
export const changesKey = 'changes';

/** Rejects if the browser forbids databases. */
export async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    const { result } = request;
    for (const store of result.objectStoreNames) result.deleteObjectStore(store);
    result.createObjectStore(name);
  };
  const database = await answerOf(request);
  database.onversionchange = () => database.close();
  return database;
}

export const storeIn = (database: IDBDatabase, mode: IDBTransactionMode): IDBObjectStore =>
  database.transaction(name, mode).objectStore(name);

export function answerOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
  return promise;
}

interface Opened {
  readonly database: IDBDatabase;
  readonly head: Head | undefined;
}

declare global {
  interface Window {
    /** Read by `head.ts` while the scripts load; undefined if no list is cached. */
    cachedList?: Promise<Opened>;
  }
}

/** The database and its head. Rejects if the browser forbids databases. */
export async function openCache(): Promise<Opened> {
  const database = await openDatabase();
  return { database, head: await answerOf<Head | undefined>(storeIn(database, 'readonly').get(headKey)) };
}

/** A base and the notes changed since; undefined if another tab has replaced the base. */
export async function readRest(
  database: IDBDatabase,
  { base, chunks }: Head,
): Promise<{ readonly base: Base; readonly changes: readonly Note[] } | undefined> {
  const store = storeIn(database, 'readonly');
  const read = <Value>(key: IDBValidKey) => answerOf<Value | undefined>(store.get(key));
  const reading = Array.from({ length: chunks }, (_, index) => read<readonly Note[]>([base, index]));
  const [changes = [], ...parts] = await Promise.all([read<readonly Note[]>(changesKey), ...reading]);
  const notes = parts.flatMap((part) => part ?? []);
  return parts.includes(undefined) ? undefined : { base: { id: base, notes }, changes };
}
