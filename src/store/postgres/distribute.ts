import { NoteError } from '../../core/error.ts';
import type { Connection } from './connections.ts';
import { type Distribution, type Placement, placementInWords } from './placement.ts';

/**
 * Distributes an empty table. Drops the log of changes first: instances that follow it would miss writes to a
 * distributed table; without it, they fail instead of showing outdated lists.
 */
export async function distribute(connection: Connection, placement: Placement, distribution: Distribution) {
  if (placement.distribution === distribution) return;
  if (placement.citus === undefined) throw new NoteError('unavailable', needsCitus);
  if (placement.distribution !== 'local') {
    throw new NoteError(
      'unavailable',
      `it is ${placementInWords(placement)}, which is not what ?distribution= asks for`,
    );
  }
  const found = await connection.run('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE; SELECT 1 FROM notes LIMIT 1');
  if (found.length > 0) throw new NoteError('unavailable', holdsNotes);
  const create = distribution === 'id' ? `create_distributed_table('notes', 'id')` : `create_reference_table('notes')`;
  await connection.run(`${dropLog}; SELECT create_reference_table('notes_schema'); ${placeLabels}; SELECT ${create}`);
}

const createBeside = {
  reference: 'create_reference_table(beside)',
  id: `create_distributed_table(beside, 'note_id', colocate_with => 'notes')`,
} as const satisfies Record<Distribution, string>;

const placed = 'SELECT logicalrelid FROM pg_dist_partition';

/** Places labels first, since Citus creates no reference table after a transaction has accessed shards. */
const placeLabels = `SELECT create_reference_table(labels) FROM to_regclass('group_labels') AS labels
  WHERE labels IS NOT NULL AND labels NOT IN (${placed})`;

/** Distributes versions and origins like the notes, beside them, and copies labels to all nodes. */
export async function placeOthers(connection: Connection, distribution: Placement['distribution']): Promise<void> {
  if (distribution === 'local' || distribution === 'other') return;
  await connection.run(placeLabels);
  for (const table of ['note_versions', 'note_origins']) {
    await connection.run(`SELECT ${createBeside[distribution]} FROM to_regclass('${table}') AS beside
      WHERE beside IS NOT NULL AND beside NOT IN (${placed})`);
  }
}

const dropLog = `DROP FUNCTION IF EXISTS log_note_changes() CASCADE; DROP FUNCTION IF EXISTS prune_note_changes(bigint);
  DROP TABLE IF EXISTS note_changes, note_changes_pruned`;

const needsCitus =
  'it has no Citus, which ?distribution= requires. Create the extension there, or leave the parameter out';
const holdsNotes = 'it holds notes that are not distributed. See docs/operations/citus.md for how to distribute them';
