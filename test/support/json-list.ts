import type { Note } from '../../src/domain/note.ts';
import type { JsonList } from '../../src/domain/store.ts';

/** Reads a list to its end. */
export async function notesOf(list: JsonList): Promise<Note[]> {
  if (list.kind === 'unchanged') throw new Error('A list that nobody knew yet cannot be unchanged');
  if (list.kind === 'whole') return JSON.parse(await list.body.text());
  const parts: Uint8Array[] = [];
  for (let part = await list.chunks.next(); part; part = await list.chunks.next()) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}
