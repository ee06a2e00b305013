/** Whether a list is cached: known synchronously, before the page requests the list. */
import { pagePath, readItem, writeItem } from '../storage.ts';

/** The name of the database, and of the localStorage item that says that it has a list. */
export const cacheName = `notes.list:${pagePath}`;

export const isListCached = (): boolean => readItem(cacheName) !== undefined;
export const setListCached = (isCached: boolean): boolean => writeItem(cacheName, isCached ? 'cached' : undefined);
