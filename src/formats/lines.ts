import { joinedBytes, textInUtf8 } from '../shared/utf8.ts';

/** A line without its end, or why it was refused. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly reason: string };

/** Longer lines are refused, as each is buffered whole. */
export const maxLineBytes = 64 * 1024 * 1024;

const newline = 0x0a;

/** Splits chunks of UTF-8 into lines; yields those completed by each chunk. Retains the chunks: do not reuse them. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[], void, void> {
  const cutter = new LineCutter();
  for await (const chunk of chunks) yield cutter.cut(chunk);
  yield cutter.end();
}

class LineCutter {
  #number = 1;
  /** The start of the current line, dropped if too long; and its length so far. */
  #parts: Uint8Array[] = [];
  #length = 0;

  cut(chunk: Uint8Array): readonly Line[] {
    const last = chunk.lastIndexOf(newline);
    const lines = last < 0 ? [] : this.#finish(chunk.subarray(0, last));
    const rest = chunk.subarray(last + 1);
    this.#length += rest.length;
    if (this.#length > maxLineBytes) this.#parts = [];
    else if (rest.length > 0) this.#parts.push(rest);
    return lines;
  }

  end(): readonly Line[] {
    return this.#length === 0 ? [] : this.#finish(new Uint8Array(0));
  }

  /** The current line and the following ones in `bytes`, which must end at a line end. */
  #finish(bytes: Uint8Array): readonly Line[] {
    const parts = [...this.#parts, bytes];
    const isTooLong = this.#length > maxLineBytes;
    this.#parts = [];
    this.#length = 0;
    if (!isTooLong) return this.#decode(joinedBytes(parts));
    const refused = { number: this.#number++, reason: `Must not be longer than ${maxLineBytes} bytes` };
    const end = bytes.indexOf(newline);
    return end < 0 ? [refused] : [refused, ...this.#decode(bytes.subarray(end + 1))];
  }

  #decode(bytes: Uint8Array): readonly Line[] {
    return textsOf(bytes).map((text) => {
      const number = this.#number++;
      return text === undefined ? { number, reason: 'Must be valid UTF-8' } : { number, text };
    });
  }
}

/** Decodes all at once, which is fastest; line by line if any of it is not UTF-8. */
function textsOf(bytes: Uint8Array): readonly (string | undefined)[] {
  const whole = textInUtf8(bytes);
  if (whole !== undefined) return whole.split('\n');
  const texts: (string | undefined)[] = [];
  for (let at = 0; at <= bytes.length; ) {
    const next = bytes.indexOf(newline, at);
    const end = next < 0 ? bytes.length : next;
    texts.push(textInUtf8(bytes.subarray(at, end)));
    at = end + 1;
  }
  return texts;
}
