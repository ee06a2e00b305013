import { elementsIn } from '../shared/long-json/elements.ts';
import { invalid } from './error.ts';
import { jsonOf, type Note } from './note.ts';

/** The notes in a list as the service answers it, which comes in chunks. Throws `invalid` when it is no JSON array of them. */
export async function* notesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Note[], void, void> {
  for await (const elements of elementsIn(chunks, invalid)) if (elements.length > 0) yield JSON.parse(`[${elements}]`);
}

/** Notes as the service answers them, byte for byte, in pieces. */
export async function* jsonListOf(batches: AsyncIterable<readonly Note[]>): AsyncGenerator<string, void, void> {
  let before = '[';
  for await (const notes of batches) {
    if (notes.length === 0) continue;
    yield before + notes.map(jsonOf).join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
