import { NoteError } from '../../../domain/error.ts';
import type { Connection } from '../connections.ts';
import { type Distribution, type Placement, toldOf } from './placement.ts';

/**
 * Only an empty table: instances that follow its log of changes would miss what is written to a distributed one, so the log
 * goes first, and they fail rather than show what is outdated.
 */
export async function distribute(connection: Connection, placement: Placement, distribution: Distribution) {
  if (placement.distribution === distribution) return;
  if (placement.citus === undefined) throw new NoteError('unavailable', needsCitus);
  if (placement.distribution !== 'local') {
    throw new NoteError('unavailable', `it is ${toldOf(placement)}, which is not what ?distribution= asks for`);
  }
  const found = await connection.run('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE; SELECT 1 FROM notes LIMIT 1');
  if (found.length > 0) throw new NoteError('unavailable', holdsNotes);
  const create = distribution === 'id' ? `create_distributed_table('notes', 'id')` : `create_reference_table('notes')`;
  await connection.run(`${dropLog}; SELECT create_reference_table('notes_schema'); ${placeLabels}; SELECT ${create}`);
}

const createVersions = {
  reference: 'create_reference_table(versions)',
  id: `create_distributed_table(versions, 'note_id', colocate_with => 'notes')`,
} as const satisfies Record<Distribution, string>;

const placed = 'SELECT logicalrelid FROM pg_dist_partition';

/** Of tables that all nodes have, the labels come first: Citus places none after it has worked on shards. */
const placeLabels = `SELECT create_reference_table(labels) FROM to_regclass('group_labels') AS labels
  WHERE labels IS NOT NULL AND labels NOT IN (${placed})`;

/**
 * Has Citus keep the versions of notes as it keeps the notes, those of a note beside it, and what groups are called on all
 * nodes.
 */
export async function placeOthers(connection: Connection, distribution: Placement['distribution']): Promise<void> {
  if (distribution === 'local' || distribution === 'other') return;
  await connection.run(placeLabels);
  await connection.run(`SELECT ${createVersions[distribution]} FROM to_regclass('note_versions') AS versions
    WHERE versions IS NOT NULL AND versions NOT IN (${placed})`);
}

const dropLog = `DROP FUNCTION IF EXISTS log_note_changes() CASCADE; DROP FUNCTION IF EXISTS prune_note_changes(bigint);
  DROP TABLE IF EXISTS note_changes, note_changes_pruned`;

const needsCitus = 'it has no Citus, which ?distribution= asks for. Create the extension there, or leave that out';
const holdsNotes =
  'it holds notes that are not distributed. How to distribute them is told in docs/operations/citus.md';
