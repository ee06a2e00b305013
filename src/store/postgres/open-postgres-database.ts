import { NoteError } from '../../core/error.ts';
import type { PostgresAddress } from '../../core/postgres-address.ts';
import { getErrorMessage } from '../../core/thrown-errors.ts';
import * as storeMessage from '../store-messages.ts';
import {
  formatPlacementIfCitus,
  isPlacementDistributed,
  isPlacementLogged,
  readPlacementOrLocal,
} from './citus-placement.ts';
import { type AvailabilityObserver, type ConnectionLimits, ConnectionPool } from './connection-pool.ts';
import { migrateAndDistribute, readSchemaStateIfPresent, unsafeSettingsSql } from './migrate-postgres.ts';
import { DatabaseError, DatabaseTimeout, isUnreachableError } from './postgres-errors.ts';
import { migrations, type Step } from './postgres-migrations.ts';
import { findDurabilityProblem, ReadinessChecker } from './postgres-readiness.ts';
import type { OpenPostgresDatabase } from './postgres-transactions.ts';

export interface PostgresOptions extends Partial<ConnectionLimits> {
  readonly address: PostgresAddress;
  /** Whether to throw for a database without notes instead of creating the tables. */
  readonly mustExist?: boolean;
  /** How long to wait for a database that does not answer yet, in ms. */
  readonly waitMs?: number;
  /** Called once when the database does not answer yet, with the reason. */
  readonly onWaiting?: (reason: string) => void;
  /** Called when the database becomes unreachable later, with the reason, and when it can be reached again. */
  readonly onAvailability?: (isAvailable: boolean, reason: string) => void;
  /** Replaces `migrations` in tests. */
  readonly steps?: readonly Step[];
}

export const defaultLimits: ConnectionLimits = { poolSize: 10, timeoutMs: 10_000 };
const connectRetryMs = 250;

const rightsAdvice = 'docs/operations/postgresql.md lists the rights that a role needs';

/** Opens the database, whose tables are created or migrated. Throws `unavailable` with advice. */
export function openPostgresDatabase(options: PostgresOptions): Promise<OpenPostgresDatabase> {
  const { address, steps = migrations } = options;
  return connectAndKeepOpen(options, async (connections) => {
    if (options.mustExist && !(await readSchemaStateIfPresent(connections)))
      throw new NoteError('unavailable', storeMessage.noNotesInStore);
    await migrateAndDistribute(connections, steps, address.distribution);
    const found = await readPlacementAndHasChangeLog(connections);
    if (isPlacementDistributed(found.placement)) await assertDurableAndUtf8(connections, true);
    return { connections, ...found, knownSteps: steps.length };
  });
}

/**
 * Describes a database as text for people, without changing it. Throws as `openPostgres`, also if its schema is current
 * but notes cannot be written.
 */
export async function checkAndDescribePostgres(options: PostgresOptions) {
  await using connections = await connectAndKeepOpen(options, async (pool) => pool);
  const [facts] = await connections.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  const { version: schema } = (await readSchemaStateIfPresent(connections)) ?? { version: 0 };
  const known = migrations.length;
  const database = { connections, ...(await readPlacementAndHasChangeLog(connections)), knownSteps: known };
  if (schema >= known) await new ReadinessChecker(database).assertReadableAndWritable();
  const kind = formatPlacementIfCitus(database.placement);
  const use = schema < known ? `the next start brings its schema from ${schema} to ${known}` : 'notes can be written';
  return `PostgreSQL ${facts?.version}${kind ? ` with ${kind}` : ''}, ${use}`;
}

/**
 * Connects to a database, waits until it can be reached, checks that its commits are durable, and returns what `use`
 * returns. The connections stay open, unless anything throws. Throws as `openPostgres`.
 */
async function connectAndKeepOpen<Result>(
  options: PostgresOptions,
  use: (connections: ConnectionPool) => Promise<Result>,
): Promise<Result> {
  const { address, waitMs = 0, onWaiting = () => {}, onAvailability = () => {} } = options;
  const limits = { ...defaultLimits, ...options };
  await using opened = new AsyncDisposableStack();
  let isOpen = false;
  const observer: AvailabilityObserver = (isAvailable, error) => {
    if (isOpen) onAvailability(isAvailable, isAvailable ? '' : formatOpenErrorReason(error));
  };
  const connections = opened.use(new ConnectionPool(address, limits, observer));
  try {
    await waitUntilReachable(connections, waitMs, onWaiting);
    await assertDurableAndUtf8(connections);
    const result = await use(connections);
    opened.move();
    isOpen = true;
    return result;
  } catch (error) {
    throw toOpenNoteError(error, formatLocation(address));
  }
}

export function formatLocation({ hostname, port, database }: PostgresAddress): string {
  const host = hostname.includes(':') ? `[${hostname}]` : encodeURIComponent(hostname);
  return `postgres://${host}:${port}/${encodeURIComponent(database)}`;
}

/** Tries to reach the database for `waitMs`. Calls `onWaiting` once, when the first try has failed. */
async function waitUntilReachable(
  connections: ConnectionPool,
  waitMs: number,
  onWaiting: (reason: string) => void,
): Promise<void> {
  const end = performance.now() + waitMs;
  for (let attempt = 1; ; attempt++) {
    try {
      await connections.query('SELECT 1');
      return;
    } catch (error) {
      const left = end - performance.now();
      if (!(isUnreachableError(error) || error instanceof DatabaseTimeout) || left <= 0) throw error;
      if (attempt === 1) onWaiting(formatOpenErrorReason(error));
      await Bun.sleep(Math.min(connectRetryMs, left));
    }
  }
}

/** Checks on an open connection that commits are durable and that every text can be stored. */
async function assertDurableAndUtf8(connections: ConnectionPool, isCitus = false): Promise<void> {
  const [facts] = await connections.readWithRetries<{ encoding: string; off: string | null }>(
    `SELECT current_setting('server_encoding') AS encoding, ${unsafeSettingsSql} AS off`,
  );
  if (facts?.encoding !== 'UTF8') throw new NoteError('unavailable', `its encoding is ${facts?.encoding}, not UTF8`);
  const fault = findDurabilityProblem(facts.off, isCitus);
  if (fault !== undefined) throw new NoteError('unavailable', fault);
}

async function readPlacementAndHasChangeLog(
  connections: ConnectionPool,
): Promise<Pick<OpenPostgresDatabase, 'placement' | 'hasChangeLog'>> {
  const placement = await readPlacementOrLocal((statement) => connections.readWithRetries(statement));
  if (isPlacementLogged(placement)) {
    if (placement.isWorker) throw new NoteError('unavailable', storeMessage.workerWithoutLog);
    return { placement, hasChangeLog: await hasChangeLogAssertingRights(connections, distributedLogRights) };
  }
  return { placement, hasChangeLog: placement.isPlain && (await hasChangeLogAssertingRights(connections, logRights)) };
}

type TableRight = readonly [table: string, right: string];

const logRights: readonly TableRight[] = [
  ['note_changes', 'SELECT'],
  ['note_changes', 'INSERT'],
  ['note_changes', 'DELETE'],
  ['note_changes_pruned', 'SELECT'],
  ['note_changes_pruned', 'UPDATE'],
];

const distributedLogRights: readonly TableRight[] = [
  ['announced_writes', 'SELECT'],
  ['announced_writes', 'INSERT'],
  ['announced_writes', 'DELETE'],
  ['distributed_changes', 'SELECT'],
  ['distributed_changes', 'INSERT'],
  ['distributed_changes', 'DELETE'],
  ['distributed_changes_pruned', 'SELECT'],
  ['distributed_changes_pruned', 'UPDATE'],
];

/** Returns whether the tables of the log exist. Throws `unavailable` if the role lacks rights to the log. */
async function hasChangeLogAssertingRights(
  connections: ConnectionPool,
  rights: readonly TableRight[],
): Promise<boolean> {
  const needed = rights.map(([table, right]) => `('${table}', '${right}')`);
  const [log] = await connections.readWithRetries<{ has_rights: boolean | null }>(
    `SELECT CASE WHEN bool_and(to_regclass(log) IS NOT NULL)
       THEN bool_and(has_table_privilege(to_regclass(log), "right")) END AS has_rights
     FROM (VALUES ${needed.join(', ')}) AS needed(log, "right")`,
  );
  if (log?.has_rights === false) {
    throw new NoteError('unavailable', `its role lacks rights to the log of changes. ${rightsAdvice}`);
  }
  return log?.has_rights === true;
}

const reasonsByCode: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^ERR_POSTGRES_CONNECTION_(REFUSED|FAILED)/, 'nothing answers there. Check host and port'],
  [/^ERR_POSTGRES_CONNECTION_TIMEOUT/, 'it did not answer in time'],
  [
    /^ERR_POSTGRES_TLS_NOT_AVAILABLE/,
    'it does not offer TLS. Turn TLS on there, or add ?sslmode=disable to the address',
  ],
  [/^ERR_TLS_CERT_ALTNAME/, 'its certificate is for another name. Use the host name of the certificate'],
  [
    /^(UNABLE_TO|CERT|SELF_SIGNED|DEPTH_ZERO)/,
    'its certificate is not from a trusted authority. Name the authority in ?sslrootcert=',
  ],
  [/^(28|ERR_POSTGRES_AUTH)/, 'it refused the role or its password. Check both in the address'],
  [/^3D/, 'there is no such database. Create it'],
  [/^25006/, 'it is read-only'],
  [/^53300/, 'it has no connection left. Raise its max_connections, or lower DATABASE_POOL_SIZE of each instance'],
];

const sessionSettingsAdvice = 'a proxy such as PgBouncer refuses session settings. Add ?prepare=false to its address';

function formatOpenErrorReason(error: unknown): string {
  if (!(error instanceof DatabaseError)) return getErrorMessage(error);
  if (/unsupported startup parameter/.test(error.message)) return sessionSettingsAdvice;
  const code = error.sqlState ?? error.code;
  const reason = reasonsByCode.find(([pattern]) => pattern.test(code))?.[1] ?? error.message;
  return code === '42501' ? `${reason}. ${rightsAdvice}` : reason;
}

function toOpenNoteError(error: unknown, location: string): NoteError {
  const isReachable = !(error instanceof DatabaseError && /^ERR_POSTGRES_CONNECTION/.test(error.code));
  const text = `Cannot use ${location}: ${formatOpenErrorReason(error)}`;
  return new NoteError(isReachable ? 'unavailable' : 'unreachable', text, { cause: error });
}
