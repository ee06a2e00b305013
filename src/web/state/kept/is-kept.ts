/** Whether a list was kept: known at once, before the page asks for the list. */
import { pagePath, readItem, writeItem } from '../storage.ts';

/** Of the database, and of the item that tells that it has a list. */
export const keptName = `notes.list:${pagePath}`;

export const isListKept = (): boolean => readItem(keptName) !== undefined;
export const setListKept = (isKept: boolean): boolean => writeItem(keptName, isKept ? 'kept' : undefined);
