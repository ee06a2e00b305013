import { notesIn } from '../domain/json-elements.ts';
import type { Note } from '../domain/note.ts';
import type { JsonChunks, JsonList } from '../domain/store.ts';

/** The notes of a list, which is read to its end. */
export async function notesOf(list: JsonList): Promise<Note[]> {
  if (list.kind === 'unchanged') throw new Error('A list that nobody knew yet cannot be unchanged');
  if (list.kind === 'whole') return JSON.parse(await list.body.text());
  const parts: Uint8Array[] = [];
  for (let part = await list.chunks.next(); part; part = await list.chunks.next()) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

/** The notes of a list, some at a time. */
export async function* scanOf(read: () => JsonList | Promise<JsonList>): AsyncGenerator<readonly Note[], void, void> {
  const list = await read();
  if (list.kind === 'chunks') yield* notesIn(chunksOf(list.chunks));
  else yield await notesOf(list);
}

async function* chunksOf(chunks: JsonChunks): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (let chunk = await chunks.next(); chunk; chunk = await chunks.next()) yield chunk;
  } finally {
    await chunks.close();
  }
}
