import type { Note } from '../../../src/core/note.ts';
import type { JsonList, ListBody } from '../../../src/core/store.ts';

export const joinListBody = ({ parts }: ListBody): string => Buffer.concat([...parts]).toString();

/** Reads a list to its end. */
export async function parseNotesOfList(list: JsonList): Promise<Note[]> {
  if (list.kind === 'unchanged') throw new Error('A list that nobody knew yet cannot be unchanged');
  if (list.kind === 'whole') return JSON.parse(joinListBody(list.body));
  const parts: Uint8Array[] = [];
  for (let part = await list.chunks.next(); part; part = await list.chunks.next()) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}
