/** How Citus can keep the notes, when told to: copied to all nodes, or spread over them by id. */
export type Distribution = 'reference' | 'id';

/** What the server says it is, and where it keeps the table `notes`. */
export interface Placement {
  /** Whether the table is in PostgreSQL itself, on one machine: transactions have numbers there that can be compared. */
  readonly isPlain: boolean;
  /** The version of Citus; undefined without it. */
  readonly citus: string | undefined;
  /** `other` is what Citus has beside the two that serve the notes; `local` also where there is no table yet. */
  readonly distribution: Distribution | 'local' | 'other';
  readonly shards: number;
  /** Whether Citus runs here as a worker, whose ids are far above those of the coordinator. */
  readonly isWorker: boolean;
}

/** Whether Citus spreads or copies the notes: it then passes over nothing that is locked, and locks no rows of a join. */
export const isDistributed = ({ distribution }: Placement) => distribution !== 'local';

/** Whether each note is on one of many shards, so that writes gain nothing by sharing a transaction. */
export const isSpread = ({ distribution }: Placement) => distribution === 'id';

type Run = <Row>(statement: string) => Promise<Row[]>;

/** Others speak PostgreSQL's protocol, and their transactions have no such numbers. */
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

/** What Citus does with the table, as the end of a sentence that names the server; undefined without Citus. */
export function toldOf({ citus, distribution, shards, isWorker }: Placement): string | undefined {
  if (citus === undefined) return undefined;
  const tables = {
    local: 'a table of one node',
    reference: 'a reference table',
    id: `a table distributed by id over ${shards} shards`,
    other: 'neither a reference table nor distributed by id',
  } as const;
  const told = `Citus ${citus}, where the notes are ${tables[distribution]}`;
  return isWorker ? `${told}. It is a worker: ids of notes that are created there do not follow the others` : told;
}
