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
  await connection.run(`${dropLog}; SELECT create_reference_table('notes_schema'); SELECT ${create}`);
}

const createBeside = {
  reference: 'create_reference_table(beside)',
  id: `create_distributed_table(beside, 'note_id', colocate_with => 'notes')`,
} as const satisfies Record<Distribution, string>;

/** Has Citus keep versions and origins of notes as it keeps the notes: those of a note beside it. */
export async function placeBeside(connection: Connection, distribution: Placement['distribution']): Promise<void> {
  if (distribution === 'local' || distribution === 'other') return;
  for (const table of ['note_versions', 'note_origins']) {
    await connection.run(`SELECT ${createBeside[distribution]} FROM to_regclass('${table}') AS beside
      WHERE beside IS NOT NULL AND beside NOT IN (SELECT logicalrelid FROM pg_dist_partition)`);
  }
}

const dropLog = `DROP FUNCTION IF EXISTS log_note_changes() CASCADE; DROP FUNCTION IF EXISTS prune_note_changes(bigint);
  DROP TABLE IF EXISTS note_changes, note_changes_pruned`;

const needsCitus = 'it has no Citus, which ?distribution= asks for. Create the extension there, or leave that out';
const holdsNotes =
  'it holds notes that are not distributed. How to distribute them is told in docs/operations/citus.md';
