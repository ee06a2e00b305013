import { elementsIn } from '../shared/json-elements.ts';
import { invalid } from './error.ts';
import type { Note } from './note.ts';

/** The notes in a list as the service answers it, which comes in chunks. Throws `invalid` when it is no JSON array of them. */
export async function* notesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Note[], void, void> {
  for await (const elements of elementsIn(chunks, invalid)) if (elements.length > 0) yield JSON.parse(`[${elements}]`);
}
