import { NoteError } from '../../core/error.ts';
import type { PostgresAddress } from '../../core/postgres-address.ts';
import type { Connection, RunQuery } from './connection-pool.ts';

/** How Citus distributes the notes on request: copied to all nodes, or sharded by id. */
export type Distribution = NonNullable<PostgresAddress['distribution']>;

/** The kind of server, and where it stores the table `notes`. */
export interface Placement {
  /** Whether the table is in PostgreSQL itself, on one machine, so that transaction ids are comparable. */
  readonly isPlain: boolean;
  readonly citus: string | undefined;
  /** `other` for a distribution that is not supported; `local` also if there is no table yet. */
  readonly distribution: Distribution | 'local' | 'other';
  readonly shards: number;
  /** Whether this is a Citus worker. Its ids are far above those of the coordinator. */
  readonly isWorker: boolean;
}

/** Whether Citus distributes the notes. It then cannot skip locked rows or lock rows of a join. */
export const isPlacementDistributed = ({ distribution }: Placement) => distribution !== 'local';

/** Whether the notes are distributed in one of the supported ways, in which instances log what they write. */
export const isPlacementLogged = ({ distribution }: Placement) => distribution === 'reference' || distribution === 'id';

/** Whether notes are distributed by id. Several writes are then no faster in one transaction. */
export const isPlacementDistributedById = ({ distribution }: Placement) => distribution === 'id';

/** Other servers speak PostgreSQL's protocol, but their transaction ids are not comparable. */
const selectServer = `SELECT version() LIKE 'PostgreSQL %' AND version() NOT LIKE '%-YB-%'
    AND current_setting('server_version_num')::integer >= 130000 AS is_postgres,
  EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS has_citus`;

const selectCitus = `SELECT substring(citus_version() FROM 'Citus ([^ ]+)') AS citus, placed.distribution,
    (SELECT groupid > 0 FROM pg_dist_local_group) AS is_worker,
    (SELECT count(*)::integer FROM pg_dist_shard WHERE logicalrelid = to_regclass('notes')) AS shards
  FROM (SELECT 1) AS one LEFT JOIN (
    SELECT CASE WHEN partmethod = 'n' AND repmodel = 't' THEN 'reference'
      WHEN partmethod = 'h' AND column_to_column_name(logicalrelid, partkey) = 'id' THEN 'id'
      ELSE 'other' END AS distribution
    FROM pg_dist_partition WHERE logicalrelid = to_regclass('notes')) AS placed ON true`;

export async function readPlacementOrLocal(run: RunQuery): Promise<Placement> {
  const [server] = await run<{ is_postgres: boolean; has_citus: boolean }>(selectServer);
  const isPostgres = server?.is_postgres === true;
  const local = { isPlain: isPostgres, citus: undefined, distribution: 'local', shards: 0, isWorker: false } as const;
  if (!isPostgres || !server.has_citus) return local;
  const [row] = await run<CitusRow>(selectCitus);
  if (row === undefined) return local;
  const { citus, distribution, shards, is_worker: isWorker } = row;
  return { isPlain: distribution === null, citus, distribution: distribution ?? 'local', shards, isWorker };
}

interface CitusRow {
  readonly citus: string;
  readonly distribution: Exclude<Placement['distribution'], 'local'> | null;
  readonly shards: number;
  readonly is_worker: boolean;
}

/** Describes the placement as the end of a sentence about the server; undefined without Citus. */
export function formatPlacementIfCitus({ citus, distribution, shards, isWorker }: Placement): string | undefined {
  if (citus === undefined) return undefined;
  const tables = {
    local: 'a table of one node',
    reference: 'a reference table',
    id: `a table distributed by id over ${shards} shards`,
    other: 'neither a reference table nor distributed by id',
  } as const;
  const sentence = `Citus ${citus}, where the notes are ${tables[distribution]}`;
  return isWorker
    ? `${sentence}. It is a worker: ids of notes that are created there do not follow the others`
    : sentence;
}

/**
 * Distributes an empty table. Drops the log of changes first: instances that follow it would miss writes to a
 * distributed table; without it, they fail instead of showing outdated lists.
 */
export async function distributeEmptyNotesAndDropLog(
  connection: Connection,
  placement: Placement,
  distribution: Distribution,
) {
  if (placement.distribution === distribution) return;
  if (placement.citus === undefined) throw new NoteError('unavailable', needsCitus);
  if (placement.distribution !== 'local') {
    throw new NoteError(
      'unavailable',
      `it is ${formatPlacementIfCitus(placement)}, which is not what ?distribution= asks for`,
    );
  }
  const found = await connection.query('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE; SELECT 1 FROM notes LIMIT 1');
  if (found.length > 0) throw new NoteError('unavailable', holdsNotes);
  const create = distribution === 'id' ? `create_distributed_table('notes', 'id')` : `create_reference_table('notes')`;
  await connection.query(
    `${dropChangeLogSql}; SELECT create_reference_table('notes_schema'); ${copySmallTablesSql}; SELECT ${create}`,
  );
}

const distributeBesideNotesSql = {
  reference: 'create_reference_table(beside)',
  id: `create_distributed_table(beside, 'note_id', colocate_with => 'notes')`,
} as const satisfies Record<Distribution, string>;

const distributedTablesSql = 'SELECT logicalrelid FROM pg_dist_partition';

/**
 * Copies labels, ended sessions and pins to all nodes. Runs before the notes are distributed, since Citus creates no
 * reference table after a transaction has accessed shards.
 */
const copySmallTablesSql = ['group_labels', 'category_labels', 'ended_sessions', 'pins']
  .map(
    (table) => `SELECT create_reference_table(small) FROM to_regclass('${table}') AS small
  WHERE small IS NOT NULL AND small NOT IN (${distributedTablesSql})`,
  )
  .join('; ');

/** Distributes versions and origins on the nodes of their notes, and copies the small tables to all nodes. */
export async function distributeOtherTables(
  connection: Connection,
  distribution: Placement['distribution'],
): Promise<void> {
  if (distribution === 'local' || distribution === 'other') return;
  await connection.query(copySmallTablesSql);
  for (const table of ['note_versions', 'note_origins']) {
    await connection.query(`SELECT ${distributeBesideNotesSql[distribution]} FROM to_regclass('${table}') AS beside
      WHERE beside IS NOT NULL AND beside NOT IN (${distributedTablesSql})`);
  }
}

const dropChangeLogSql = `DROP FUNCTION IF EXISTS log_note_changes() CASCADE; DROP FUNCTION IF EXISTS prune_note_changes(bigint);
  DROP TABLE IF EXISTS note_changes, note_changes_pruned`;

const needsCitus =
  'it has no Citus, which ?distribution= requires. Create the extension there, or leave the parameter out';
const holdsNotes = 'it holds notes that are not distributed. See docs/operations/citus.md for how to distribute them';
