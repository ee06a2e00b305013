/** Whether a list is saved: known synchronously, before the page requests the list. */
import { pagePath, readItem, writeItem } from '../storage.ts';

/** The name of the database, and of the localStorage item that says that it has a list. */
export const keptName = `notes.list:${pagePath}`;

export const isListKept = (): boolean => readItem(keptName) !== undefined;
export const setListKept = (isKept: boolean): boolean => writeItem(keptName, isKept ? 'kept' : undefined);
