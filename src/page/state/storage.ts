/** localStorage, with a fallback in memory if storage is full or forbidden. */
import { parsed } from '../../core/tools/json.ts';

/** The path of the page, part of keys: services on one host share its localStorage. */
export const pagePath = new URL('.', document.baseURI).pathname;

/** Differs between tabs, and is the same after a reload. */
export const tabId = readTabId();

function readTabId(): string {
  const made = Math.random().toString(36).slice(2);
  try {
    const id = sessionStorage.getItem('notes.tab') ?? made;
    sessionStorage.setItem('notes.tab', id);
    return id;
  } catch {
    return made;
  }
}

const refused = new Map<string, string>();

export function readItem(key: string): string | undefined {
  const text = refused.get(key);
  if (text !== undefined) return text;
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A value stored as JSON; undefined if missing. */
export const readJson = (key: string): unknown => parsed(readItem(key) ?? '');

/** Stores a text, or removes it if undefined. Returns whether the change outlives the page. */
export function writeItem(key: string, text: string | undefined): boolean {
  refused.delete(key);
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch {
    if (text !== undefined) refused.set(key, text);
    return text === undefined;
  }
}

export function itemKeys(prefix: string): string[] {
  return [...new Set([...storedKeys(), ...refused.keys()])].filter((key) => key.startsWith(prefix));
}

function storedKeys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

/** Whether texts under keys with this prefix are only in memory, and lost with the page. */
export const hasUnsaved = (prefix: string): boolean => [...refused.keys()].some((key) => key.startsWith(prefix));
