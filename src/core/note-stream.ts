import { invalid } from './error.ts';
import type { Note } from './note.ts';
import { jsonOf } from './tools/json.ts';
import { elementsIn } from './tools/long-json.ts';

/** Parses a JSON array of notes that arrives in chunks. Throws `invalid` if it is not one. */
export async function* notesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Note[], void, void> {
  for await (const elements of elementsIn(chunks, invalid)) if (elements.length > 0) yield JSON.parse(`[${elements}]`);
}

/** Serializes notes byte for byte as the service does, in pieces. */
export async function* jsonListOf(batches: AsyncIterable<readonly Note[]>): AsyncGenerator<string, void, void> {
  let before = '[';
  for await (const notes of batches) {
    if (notes.length === 0) continue;
    yield before + notes.map(jsonOf).join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
