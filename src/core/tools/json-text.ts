const texts = new WeakMap<object, string>();

/** Serializes an immutable object once: the store keeps the text of a new note, the service sends it. */
export function jsonOf(value: object): string {
  let text = texts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}
