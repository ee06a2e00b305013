import { expect, test } from 'bun:test';
import { peekChunks } from './peek-chunks.ts';
import { transcodeUtf16IfMarked } from './text-encoding.ts';

/** Chunks of one byte each, and whether their source was closed. */
function openChunks(count: number) {
  const state = { isClosed: false };
  async function* read() {
    try {
      for (let at = 0; at < count; at++) yield Uint8Array.of(at);
    } finally {
      state.isClosed = true;
    }
  }
  return { state, chunks: read() };
}

test('the head is at least as long as asked for, and all bytes follow from the start', async () => {
  const { head, all } = await peekChunks(openChunks(5).chunks, 2);

  expect([...head]).toEqual([0, 1]);
  expect(Buffer.concat(await Array.fromAsync(all))).toEqual(Buffer.from([0, 1, 2, 3, 4]));
});

test('a source that is peeked at and not read can be closed', async () => {
  const { state, chunks } = openChunks(5);
  const { close } = await peekChunks(chunks, 2);

  await close();

  expect(state.isClosed).toBe(true);
});

test.each([1, 3])('a source of which %d chunks are read is closed, also if it may be in UTF-16', async (count) => {
  const { state, chunks } = openChunks(5);
  const { all } = await peekChunks(transcodeUtf16IfMarked('a', chunks), 2);
  let read = 0;
  for await (const _ of all) if (++read === count) break;

  expect(state.isClosed).toBe(true);
});
