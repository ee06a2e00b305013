import { NoteError } from './error.ts';
import type { Note } from './note.ts';
import { serializeOnce } from './tools/json.ts';

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

const maxLevels = 64;

/** Limit of strings, commas and opening brackets in the JSON of a note, unknown fields included. */
export const maxJsonPartsPerNote = 10_000;

/** Shorter JSON is harmless, whatever it contains. */
const harmlessLength = 4 * 1024;

/**
 * Says what makes JSON too costly to parse: nesting beyond `levelsAllowed`, or more than `maxParts` strings, commas
 * and opening brackets. Ignores short JSON.
 */
export function validateJsonComplexity(json: string, maxParts: number, levelsAllowed = maxLevels): string | undefined {
  if (json.length <= harmlessLength) return undefined;
  let levels = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = findStringEnd(json, at);
      if (at < 0) return undefined; // malformed: left to the parser
      parts++;
    } else if (code === openBracket || code === openBrace) {
      if (++levels > levelsAllowed) return nestedTooDeep(levelsAllowed);
      parts++;
    } else if (code === closeBracket || code === closeBrace) levels--;
    else if (code === comma) parts++;
    if (parts > maxParts) return tooManyParts(maxParts);
  }
  return undefined;
}

const nestedTooDeep = (max: number) => `JSON must not be nested deeper than ${max} levels`;
const tooManyParts = (max: number) => `JSON must not hold more than ${max} texts, commas and opening brackets`;

/** The closing quote of the string that begins at `start`; -1 if there is none. */
function findStringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

/** Longer elements are rejected, as each is buffered whole. */
const maxBytes = 64 * 1024 * 1024;

const openers = [openBracket, openBrace];
const closers = [closeBracket, closeBrace];
/** JSON whitespace, and the bytes of a byte order mark. */
const blanks = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf];

/** Why a text is not the JSON array that it must be; `isArray`: it begins as one. Does not say where the text is from. */
export class JsonArrayError extends NoteError {
  readonly isArray: boolean;

  constructor(reason: string, isArray = true) {
    super('invalid', reason);
    this.isArray = isArray;
  }
}

const createNotArrayError = () => new JsonArrayError('Must be one JSON array', false);

/**
 * Splits a JSON array that arrives in chunks of UTF-8 into the texts of its elements; yields those completed by each
 * chunk. The caller parses them. Throws `JsonArrayError`.
 */
export async function* splitJsonArray(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly string[], void, void> {
  const splitter = new JsonArraySplitter();
  for await (const chunk of chunks) yield splitter.splitChunk(chunk);
  splitter.assertComplete();
}

/** Parses a JSON array of notes that arrives in chunks. Throws `JsonArrayError`, and `SyntaxError` for other elements. */
export async function* parseNoteArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Note[], void, void> {
  for await (const elements of splitJsonArray(chunks)) if (elements.length > 0) yield JSON.parse(`[${elements}]`);
}

/** Serializes notes byte for byte as the service does, in pieces. */
export async function* encodeNoteArray(batches: AsyncIterable<readonly Note[]>): AsyncGenerator<string, void, void> {
  let before = '[';
  for await (const notes of batches) {
    if (notes.length === 0) continue;
    yield before + notes.map(serializeOnce).join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Splits a JSON array that arrives in chunks at its top-level commas. */
export class JsonArraySplitter {
  #isOver = false;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** The bytes since the start of the current element, and how far they were scanned. */
  #buffer = new Uint8Array(0);
  #length = 0;
  #at = 0;
  #depth = 0;
  #isInText = false;
  #count = 0;

  /** Returns the texts of the elements that the chunk completes. Throws `JsonArrayError`. */
  splitChunk(chunk: Uint8Array): readonly string[] {
    const elements: string[] = [];
    const bytes = this.#appendToBuffer(chunk);
    let start = 0;
    for (let at = this.#at; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#isInText) {
        at = this.#skipText(bytes, at);
        continue;
      }
      const before = this.#depth;
      this.#trackByte(byte);
      if (before === 0) start = at + 1;
      const isLast = before === 1 && this.#depth === 0;
      if (!isLast && !(before === 1 && byte === comma)) continue;
      const text = this.#decodeElement(bytes.subarray(start, at)).trim();
      start = at + 1;
      if (text === '' && isLast && this.#count === 0) continue; // an empty array
      this.#count++;
      elements.push(text);
    }
    if (start > 0) bytes.copyWithin(0, start);
    this.#length -= start;
    this.#at = this.#length;
    if (this.#length > maxBytes) throw new JsonArrayError(`Element ${this.#count + 1} of the JSON array is too long`);
    return elements;
  }

  /** Throws `JsonArrayError` unless the closing bracket has arrived. */
  assertComplete(): void {
    if (!this.#isOver) throw new JsonArrayError('The JSON array ended before it was complete');
  }

  /** Doubles the buffer when it must grow, so that a long element is not copied for each chunk. */
  #appendToBuffer(chunk: Uint8Array): Uint8Array {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#buffer.length));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    return this.#buffer.subarray(0, length);
  }

  #trackByte(byte: number): void {
    if (this.#depth === 0) this.#openArray(byte);
    else if (byte === quote) this.#isInText = true;
    else if (openers.includes(byte)) this.#depth++;
    else if (closers.includes(byte)) this.#closeLevel(byte);
  }

  #openArray(byte: number): void {
    if (blanks.includes(byte)) return;
    if (this.#isOver || byte !== openers[0]) throw createNotArrayError();
    this.#depth = 1;
  }

  #closeLevel(byte: number): void {
    this.#isOver = --this.#depth === 0;
    if (this.#isOver && byte !== closers[0]) throw createNotArrayError();
  }

  /** The closing quote of the string around `at`; `bytes.length` if it has not arrived. */
  #skipText(bytes: Uint8Array, at: number): number {
    const end = bytes.indexOf(quote, at);
    if (end < 0) return bytes.length;
    let first = end;
    while (bytes[first - 1] === backslash) first--;
    this.#isInText = (end - first) % 2 === 1;
    return end;
  }

  #decodeElement(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw new JsonArrayError(`Element ${this.#count + 1} of the JSON array is not valid UTF-8`);
    }
  }
}
