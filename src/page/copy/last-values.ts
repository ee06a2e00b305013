/** The last value of each placeholder name, in this browser. */
import { pagePath, readJson, writeItem } from '../state/storage.ts';

const key = `notes.values:${pagePath}`;
/** `characters`: of a name or a value; longer ones are not kept. */
const max = { names: 100, characters: 500 };

const secret = /pass|pwd|secret|token|key|credential|(?<![a-z])(pin|otp|cvc|cvv)(?![a-z])/i;

/** The last values by name. Long values and names that suggest a secret are not kept. */
export function lastValues(): Map<string, string> {
  const stored = readJson(key);
  const pairs = Array.isArray(stored) ? stored : [];
  return new Map(pairs.filter((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText)));
}

const isText = (value: unknown) => typeof value === 'string';

export function storeValues(values: ReadonlyMap<string, string>): void {
  const kept = lastValues();
  for (const [name, value] of values) {
    kept.delete(name);
    if (value !== '' && value.length <= max.characters && name.length <= max.characters && !secret.test(name)) {
      kept.set(name, value);
    }
  }
  writeItem(key, JSON.stringify([...kept].slice(-max.names)));
}
