/** The value that each name got last, in this browser. */
import { pagePath, readJson, writeItem } from '../state/storage.ts';

const key = `notes.values:${pagePath}`;
/** How many names are kept, and how many characters a value has that is kept. */
const max = { names: 100, characters: 500 };

const secret = /pass|pwd|secret|token|key|credential|(?<![a-z])(pin|otp|cvc|cvv)(?![a-z])/i;

/** The value that a name got last; none if that was long, or its name sounds like a secret. */
export function lastValues(): Map<string, string> {
  const kept = readJson(key);
  const pairs = Array.isArray(kept) ? kept : [];
  return new Map(pairs.filter((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText)));
}

const isText = (value: unknown) => typeof value === 'string';

/** Keeps values for the next time. */
export function keepValues(values: ReadonlyMap<string, string>): void {
  const kept = lastValues();
  for (const [name, value] of values) {
    kept.delete(name);
    if (value !== '' && value.length <= max.characters && name.length <= max.characters && !secret.test(name)) {
      kept.set(name, value);
    }
  }
  writeItem(key, JSON.stringify([...kept].slice(-max.names)));
}
