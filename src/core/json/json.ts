/** An untrusted JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON. Returns undefined if the text is malformed. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const serializedTexts = new WeakMap<object, string>();

/**
 * Serializes an object, and remembers the text for as long as the object lives. The object must not change afterwards.
 * A new note is serialized by the store for its lists and by the service for the response: the second call finds the
 * text of the first.
 */
export function serializeOnce(value: object): string {
  let text = serializedTexts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    serializedTexts.set(value, text);
  }
  return text;
}
