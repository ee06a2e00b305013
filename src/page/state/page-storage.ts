/** localStorage, with a fallback in memory if storage is full or forbidden. */
import { tryParseJson } from '../../core/json/json.ts';

/** The path of the page, part of keys: services on one host share its localStorage. */
export const pagePath = new URL('.', document.baseURI).pathname;

/** Browsers refuse if storage is full or forbidden. */
function runOrFallBack<Value>(use: () => Value, otherwise: Value): Value {
  try {
    return use();
  } catch {
    return otherwise;
  }
}

function readOrCreateTabId(): string {
  const made = Math.random().toString(36).slice(2);
  const id = runOrFallBack(() => sessionStorage.getItem('notes.tab'), null) ?? made;
  return runOrFallBack(() => {
    sessionStorage.setItem('notes.tab', id);
    return id;
  }, made);
}

/** Differs between tabs, and is the same after a reload. */
export const tabId = readOrCreateTabId();

const memoryItems = new Map<string, string>();

export const readStorageItem = (key: string): string | undefined =>
  memoryItems.get(key) ?? runOrFallBack(() => localStorage.getItem(key), null) ?? undefined;

export const readStorageJson = (key: string): unknown => tryParseJson(readStorageItem(key) ?? '');

/** Reads an array that the page has stored; an empty one if there is none. */
export function readStorageArrayOrEmpty<Item>(key: string): readonly Item[] {
  const stored = readStorageJson(key);
  return Array.isArray(stored) ? stored : [];
}

/** Stores a text, or removes it if undefined. Returns whether the change outlives the page. */
export function writeOrRemoveStorageItem(key: string, text: string | undefined): boolean {
  memoryItems.delete(key);
  const isKept = runOrFallBack(() => {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  }, text === undefined);
  if (!isKept && text !== undefined) memoryItems.set(key, text);
  return isKept;
}

export const listStorageKeys = (prefix: string): string[] =>
  [...new Set([...runOrFallBack(() => Object.keys(localStorage), []), ...memoryItems.keys()])].filter((key) =>
    key.startsWith(prefix),
  );

/** Whether texts under keys with this prefix are only in memory, and lost with the page. */
export const hasMemoryOnlyItems = (prefix: string): boolean =>
  [...memoryItems.keys()].some((key) => key.startsWith(prefix));
