import { expect, test } from 'bun:test';
import { notesIn } from './note-stream.ts';

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

test('parses together the notes completed by a chunk', async () => {
  const seen: unknown[] = [];

  for await (const some of notesIn(chunksOf('[{"id":1},{"id":2},{', '"id":3}]'))) seen.push(some);

  expect(seen).toEqual([[{ id: 1 }, { id: 2 }], [{ id: 3 }]]);
});
