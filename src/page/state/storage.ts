/** localStorage, with a fallback in memory if storage is full or forbidden. */
import { tryParseJson } from '../../core/json/json.ts';

/** The path of the page, part of keys: services on one host share its localStorage. */
export const pagePath = new URL('.', document.baseURI).pathname;

/** Browsers refuse if storage is full or forbidden. */
function attempt<Value>(use: () => Value, otherwise: Value): Value {
  try {
    return use();
  } catch {
    return otherwise;
  }
}

function readTabId(): string {
  const made = Math.random().toString(36).slice(2);
  const id = attempt(() => sessionStorage.getItem('notes.tab'), null) ?? made;
  return attempt(() => {
    sessionStorage.setItem('notes.tab', id);
    return id;
  }, made);
}

/** Differs between tabs, and is the same after a reload. */
export const tabId = readTabId();

const refused = new Map<string, string>();

export const readItem = (key: string): string | undefined =>
  refused.get(key) ?? attempt(() => localStorage.getItem(key), null) ?? undefined;

export const readJson = (key: string): unknown => tryParseJson(readItem(key) ?? '');

/** Stores a text, or removes it if undefined. Returns whether the change outlives the page. */
export function writeItem(key: string, text: string | undefined): boolean {
  refused.delete(key);
  const isKept = attempt(() => {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  }, text === undefined);
  if (!isKept && text !== undefined) refused.set(key, text);
  return isKept;
}

export const itemKeys = (prefix: string): string[] =>
  [...new Set([...attempt(() => Object.keys(localStorage), []), ...refused.keys()])].filter((key) =>
    key.startsWith(prefix),
  );

/** Whether texts under keys with this prefix are only in memory, and lost with the page. */
export const hasUnsaved = (prefix: string): boolean => [...refused.keys()].some((key) => key.startsWith(prefix));
