import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { maxLineBytes, type NumberedLine, streamNumberedLineBatches } from './numbered-line-batches.ts';

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function readAllLines(chunks: AsyncIterable<Uint8Array>): Promise<NumberedLine[]> {
  const lines: NumberedLine[] = [];
  for await (const some of streamNumberedLineBatches(chunks)) lines.push(...some);
  return lines;
}

const encoder = new TextEncoder();

test('finds the same lines wherever the chunks end', async () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replaceAll('\n', ''));

  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (texts, size) => {
      const lines = await readAllLines(inChunks(encoder.encode(texts.map((text) => `${text}\n`).join('')), size));

      expect(lines).toEqual(texts.map((text, at) => ({ number: at + 1, text })));
    }),
  );
});

test('reports a line that is not UTF-8, and reads its neighbours', async () => {
  const bytes = Buffer.concat([encoder.encode('one\n'), Uint8Array.of(0xff, 0x0a), encoder.encode('three')]);

  const lines = await readAllLines(inChunks(bytes, bytes.length));

  expect(lines).toEqual([
    { number: 1, text: 'one' },
    { number: 2, reason: 'Must be valid UTF-8' },
    { number: 3, text: 'three' },
  ]);
});

test('refuses a line that is too long by its number without buffering it, and reads the next one', async () => {
  const piece = new Uint8Array(1024 * 1024).fill(0x61);
  let held = 0;
  Bun.gc(true);
  const before = heapStats().extraMemorySize;
  async function* chunks() {
    yield encoder.encode('one\n');
    for (let sent = 0; sent <= 3 * maxLineBytes; sent += piece.length) yield piece.slice();
    Bun.gc(true);
    held = heapStats().extraMemorySize - before;
    yield encoder.encode('end\nthree\nfour');
  }

  const lines = await readAllLines(chunks());

  expect(lines).toEqual([
    { number: 1, text: 'one' },
    { number: 2, reason: `Must not be longer than ${maxLineBytes} bytes` },
    { number: 3, text: 'three' },
    { number: 4, text: 'four' },
  ]);
  expect(held).toBeLessThan(maxLineBytes);
});
