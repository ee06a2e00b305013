import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import { draftFields } from '../../../domain/note.ts';
import type { Change, Outcome, Write } from '../../engine.ts';
import { columns, noteOf } from '../../row.ts';
import type { Connections } from '../connections.ts';
import { DatabaseError } from '../failure.ts';
import type { NoteRow } from '../row.ts';
import { trimVersions } from '../statements/versions.ts';
import {
  changesIn,
  changesText,
  clock,
  inlined,
  recordsOf,
  updateFrom,
  type WriteRules,
} from '../statements/writes.ts';
import { keepLocked } from './former.ts';

/** `$1` is the time, as in a batch; the others are the `draftFields`. */
const insert = `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
  VALUES ($2, $3, $4, $5, $6, ${clock('$1')}, ${clock('$1')}) RETURNING ${columns}`;

/**
 * `$1` is the time, `$2` the id, `$3` the change; `parts` are further CTEs. The coordinator computes the time in a CTE,
 * so that all nodes use one clock.
 */
const updateWith = (...parts: readonly string[]) => `WITH
  ${[`clock AS MATERIALIZED (SELECT ${clock('$1')} AS now)`, ...parts].join(', ')}
  ${updateFrom(`clock, ${changesIn('$3')}`, 'clock.now')} AND notes.id = $2
  RETURNING ${columns.replaceAll(/(?:^|, )/g, '$&notes.')}`;

const update = updateWith();

type SingleRules = Omit<WriteRules, 'onLocked'>;

/**
 * Runs one write as a statement for one shard, in a transaction of that shard. A batch would need a transaction on
 * every shard and a two-phase commit: 100 times as long at 32 shards.
 */
export async function writeSingly(connections: Connections, write: Write, rules: SingleRules): Promise<Outcome> {
  if (write.kind === 'create') {
    const values = [rules.now, ...draftFields.map((field) => write.draft[field])];
    const [row] = await runOnShard(connections, insert, values);
    if (row === undefined) throw new Error('The database stored no note');
    return noteOf(row);
  }
  const [row] = await changedSingly(connections, write, rules);
  if (row !== undefined) return noteOf(row);
  const found = await connections.rows('SELECT 1 FROM notes WHERE id = $1', [write.id]);
  return found.length === 0
    ? new NoteError('not_found', message.noSuchNote(write.id))
    : new NoteError('conflict', message.noteChanged(write.id));
}

/** Uses two statements in one transaction on that shard if it keeps a version. */
function changedSingly(connections: Connections, change: Change, { now, maxVersions }: SingleRules) {
  const values = [now, change.id, recordsOf([change])];
  if (maxVersions === 0 || !changesText(change)) return runOnShard(connections, update, values);
  const trimmed = `trimmed AS (${trimVersions([change.id], maxVersions)})`;
  return connections.together<NoteRow>([keepLocked([change]), inlined(updateWith(trimmed), values)]);
}

/**
 * Runs a statement that its worker commits by itself: it may have taken effect although the coordinator canceled it.
 */
async function runOnShard(connections: Connections, statement: string, values: readonly unknown[]) {
  try {
    return await connections.rows<NoteRow>(statement, values);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.sqlState !== '57014') throw error;
    throw new NoteError('unavailable', message.storeFailed, { outcome: 'unknown', cause: error });
  }
}
