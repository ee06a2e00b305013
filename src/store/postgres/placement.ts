import type { PostgresAddress } from '../../core/tools/postgres-address.ts';

/** How Citus distributes the notes on request: copied to all nodes, or sharded by id. */
export type Distribution = NonNullable<PostgresAddress['distribution']>;

/** The kind of server, and where it stores the table `notes`. */
export interface Placement {
  /** Whether the table is in PostgreSQL itself, on one machine, so that transaction ids are comparable. */
  readonly isPlain: boolean;
  /** Version of Citus; undefined without it. */
  readonly citus: string | undefined;
  /** `other` for a distribution that is not supported; `local` also if there is no table yet. */
  readonly distribution: Distribution | 'local' | 'other';
  readonly shards: number;
  /** Whether this is a Citus worker. Its ids are far above those of the coordinator. */
  readonly isWorker: boolean;
}

/** Whether Citus distributes the notes. It then cannot skip locked rows or lock rows of a join. */
export const isDistributed = ({ distribution }: Placement) => distribution !== 'local';

/** Whether notes are sharded, so that writes gain nothing from sharing a transaction. */
export const isSpread = ({ distribution }: Placement) => distribution === 'id';

type Run = <Row>(statement: string) => Promise<Row[]>;

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

export async function placementOf(run: Run): Promise<Placement> {
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
export function placementInWords({ citus, distribution, shards, isWorker }: Placement): string | undefined {
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
