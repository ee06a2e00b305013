import { NoteError } from '../error.ts';
import type { Note } from '../note.ts';
import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './json-bytes.ts';

/** Longer elements are rejected, as each is buffered whole. */
const maxBytes = 64 * 1024 * 1024;

const openers = [openBracket, openBrace];
const closers = [closeBracket, closeBrace];
/** The bytes of JSON whitespace, and those of a byte order mark. */
const blanks = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf];

/**
 * Why a text is not the JSON array that it must be; `isArray`: it begins as one. Does not say where the text is from.
 */
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
export async function* streamJsonElementTextBatches(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly string[], void, void> {
  const splitter = new JsonArraySplitter();
  for await (const chunk of chunks) yield splitter.splitChunk(chunk);
  splitter.assertComplete();
}

/**
 * Parses a JSON array of notes that arrives in chunks. Throws `JsonArrayError`, and `SyntaxError` for other elements.
 */
export async function* streamUncheckedNoteBatchesFromJson(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Note[], void, void> {
  for await (const elements of streamJsonElementTextBatches(chunks))
    if (elements.length > 0) yield JSON.parse(`[${elements}]`);
}

/** Serializes notes byte for byte as the service does, in pieces. */
export async function* streamNoteBatchesAsJson(
  batches: AsyncIterable<readonly Note[]>,
): AsyncGenerator<string, void, void> {
  let before = '[';
  for await (const notes of batches) {
    if (notes.length === 0) continue;
    yield before + notes.map((note) => JSON.stringify(note)).join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/**
 * Splits a JSON array that arrives in chunks at its top-level commas. It scans each byte once, and buffers only the
 * element that is not complete yet.
 *
 * Example: the array `[{"a":"],"},2,3]` arrives as three chunks.
 * 1. `[{"a":"],` opens the array and an object. The bracket and the comma are inside a string, so that they close and
 *    separate nothing. No element is complete: it returns `[]` and buffers `{"a":"],`.
 * 2. `"},2` ends the string and the object; the comma behind it is at the level of the array. It returns
 *    `['{"a":"],"}']` and buffers `2`, as more digits could follow.
 * 3. `,3]` completes `2` by its comma and `3` by the bracket: it returns `['2', '3']`, and `assertComplete` passes.
 */
export class JsonArraySplitter {
  #isComplete = false;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** Begins with the first byte of the element that is not complete; its first `#bufferLength` bytes are in use. */
  #buffer = new Uint8Array(0);
  #bufferLength = 0;
  /** How many bytes of the buffer were scanned before the current chunk. */
  #scannedLength = 0;
  /** The number of open brackets and braces: 1 between the elements. */
  #depth = 0;
  /** Whether a string has begun and not ended. */
  #isInText = false;
  #elementCount = 0;

  /** Returns the texts of the elements that the chunk completes. Throws `JsonArrayError`. */
  splitChunk(chunk: Uint8Array): readonly string[] {
    const elements: string[] = [];
    const bytes = this.#appendToBuffer(chunk);
    let start = 0;
    for (let at = this.#scannedLength; at < bytes.length; at++) {
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
      const text = this.#decodeElementText(bytes.subarray(start, at)).trim();
      start = at + 1;
      if (text === '' && isLast && this.#elementCount === 0) continue; // an empty array
      this.#elementCount++;
      elements.push(text);
    }
    this.#dropBytesAndAssertBufferSize(start);
    return elements;
  }

  /** Removes the elements that are complete from the start of the buffer. Throws if the next one is too long. */
  #dropBytesAndAssertBufferSize(length: number): void {
    if (length > 0) this.#buffer.copyWithin(0, length, this.#bufferLength);
    this.#bufferLength -= length;
    this.#scannedLength = this.#bufferLength;
    if (this.#bufferLength > maxBytes)
      throw new JsonArrayError(`Element ${this.#elementCount + 1} of the JSON array is too long`);
  }

  /** Throws `JsonArrayError` unless the closing bracket has arrived. */
  assertComplete(): void {
    if (!this.#isComplete) throw new JsonArrayError('The JSON array ended before it was complete');
  }

  /** Doubles the buffer when it must grow, so that a long element is not copied for each chunk. */
  #appendToBuffer(chunk: Uint8Array): Uint8Array {
    const length = this.#bufferLength + chunk.length;
    if (length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#buffer.length));
      grown.set(this.#buffer.subarray(0, this.#bufferLength));
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#bufferLength);
    this.#bufferLength = length;
    return this.#buffer.subarray(0, length);
  }

  /** Updates the depth, and whether a string has begun, by a byte outside strings. */
  #trackByte(byte: number): void {
    if (this.#depth === 0) this.#trackByteOutsideArray(byte);
    else if (byte === quote) this.#isInText = true;
    else if (openers.includes(byte)) this.#depth++;
    else if (closers.includes(byte)) this.#closeLevel(byte);
  }

  #trackByteOutsideArray(byte: number): void {
    if (blanks.includes(byte)) return;
    if (this.#isComplete || byte !== openers[0]) throw createNotArrayError();
    this.#depth = 1;
  }

  #closeLevel(byte: number): void {
    this.#isComplete = --this.#depth === 0;
    if (this.#isComplete && byte !== closers[0]) throw createNotArrayError();
  }

  /**
   * Leaves the string around `at` at its closing quote, and returns its place; `bytes.length` if it has not arrived.
   */
  #skipText(bytes: Uint8Array, at: number): number {
    const end = bytes.indexOf(quote, at);
    if (end < 0) return bytes.length;
    let first = end;
    while (bytes[first - 1] === backslash) first--;
    this.#isInText = (end - first) % 2 === 1;
    return end;
  }

  #decodeElementText(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw new JsonArrayError(`Element ${this.#elementCount + 1} of the JSON array is not valid UTF-8`);
    }
  }
}
