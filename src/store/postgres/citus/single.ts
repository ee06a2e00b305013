import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import { draftFields } from '../../../domain/note.ts';
import type { Outcome, Write } from '../../engine.ts';
import { clock, timesIn } from '../changes.ts';
import type { Connections } from '../connections.ts';
import { columns, type NoteRow, noteOf } from '../row.ts';

/** `$1` is the time, as in a batch; what follows are the `draftFields`. */
const insert = `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
  VALUES ($2, $3, $4, $5, $6, ${clock('$1')}, ${clock('$1')}) RETURNING ${columns}`;

/** The time is in a CTE, where the coordinator computes it: all nodes of a cluster then follow one clock. */
const update = `WITH clock AS MATERIALIZED (SELECT ${clock('$1')} AS now)
  UPDATE notes SET title = coalesce($2::text, title), content = coalesce($3::text, content),
    category = coalesce($4::text, category), "group" = coalesce($5::text, "group"), color = coalesce($6::text, color),
    archived = coalesce($7::boolean, archived), updated_at = greatest(clock.now, updated_at + 1)
  FROM clock
  WHERE id = $8 AND ($9::text IS NULL OR updated_at = ANY ($9::text::bigint[]))
  RETURNING ${columns}`;

/**
 * One write in a statement that a cluster sends to one shard, where it is a transaction of that shard alone. A batch
 * takes one of its own on every shard, which are committed in two phases: at 32 shards, 100 times as long.
 */
export async function writeSingly(connections: Connections, write: Write, now: number | null): Promise<Outcome> {
  if (write.kind === 'create') {
    const [row] = await connections.rows<NoteRow>(insert, [now, ...draftFields.map((field) => write.draft[field])]);
    if (row === undefined) throw new Error('The database stored no note');
    return noteOf(row);
  }
  const { id, change, ifMatch } = write;
  const times = ifMatch === undefined ? null : `{${timesIn(ifMatch)}}`;
  const values = [now, ...draftFields.map((field) => change[field] ?? null), change.archived ?? null, id, times];
  const [row] = await connections.rows<NoteRow>(update, values);
  if (row !== undefined) return noteOf(row);
  const found = await connections.rows('SELECT 1 FROM notes WHERE id = $1', [id]);
  return found.length === 0
    ? new NoteError('not_found', message.noSuchNote(id))
    : new NoteError('conflict', message.noteChanged(id));
}
