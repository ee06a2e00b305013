import type { Note, NoteFilter } from '../../../domain/note.ts';
import { type Found, searchLimits } from '../../../domain/store.ts';
import { noteOf } from '../../row.ts';
import type { Connection } from '../connections.ts';
import { completed, selectNewest, whereOf } from '../lists/snapshot.ts';

/** Reads the notes changed last from the snapshot of the connection, fewer if they are long. */
export async function readNewest(connection: Connection, filter: NoteFilter, limit: number): Promise<Found> {
  const count = `SELECT count(*) AS total FROM notes ${whereOf(filter)}`;
  const [counted] = await connection.run<{ total: string }>(count);
  const total = Number(counted?.total);
  const notes: Note[] = [];
  let left: number = searchLimits.bytes;
  for await (const rows of completed(connection, await connection.run(selectNewest(filter, limit)))) {
    for (const row of rows) {
      left -= row.title.length + row.content.length;
      if (left < 0 && notes.length > 0) return { notes, total };
      notes.push(noteOf(row));
    }
  }
  return { notes, total };
}
