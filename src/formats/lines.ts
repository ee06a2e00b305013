import { concatBytes, tryDecodeUtf8 } from '../core/text/utf8.ts';

/** A line without its end, or why it cannot be read. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly reason: string };

/** Longer lines are rejected, as each line is in memory. */
export const maxLineBytes = 64 * 1024 * 1024;

const newline = 0x0a;

/** Splits chunks of UTF-8 into lines; yields those completed by each chunk. Retains the chunks: do not reuse them. */
export async function* readLineBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[], void, void> {
  let number = 0;
  /** The start of the current line, dropped if too long; and its length. */
  let [parts, length]: [Uint8Array[], number] = [[], 0];
  const appendToLine = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length > maxLineBytes) parts = [];
    else if (bytes.length > 0) parts.push(bytes);
  };
  const finishLine = (): Line => {
    const text = length > maxLineBytes ? undefined : tryDecodeUtf8(concatBytes(parts));
    const reason = length > maxLineBytes ? `Must not be longer than ${maxLineBytes} bytes` : 'Must be valid UTF-8';
    [parts, length] = [[], 0];
    number++;
    return text === undefined ? { number, reason } : { number, text };
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      appendToLine(chunk.subarray(start, end));
      lines.push(finishLine());
      start = end + 1;
    }
    appendToLine(chunk.subarray(start));
    yield lines;
  }
  if (length > 0) yield [finishLine()];
}
