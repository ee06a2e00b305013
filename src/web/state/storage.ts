/** The browser's store for this page. What it refuses, because it is full or forbidden, is kept as long as the page is open. */

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

/** Keeps a text, or nothing; whether that outlives the page. */
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

/** Whether texts would be lost with the page whose keys begin so. */
export const hasUnsaved = (prefix: string): boolean => [...refused.keys()].some((key) => key.startsWith(prefix));
