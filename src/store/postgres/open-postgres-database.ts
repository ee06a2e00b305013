import { NoteError } from '../../core/error.ts';
import type { PostgresAddress } from '../../core/postgres-address.ts';
import { getErrorMessage } from '../../core/thrown-errors.ts';
import * as storeMessage from '../store-messages.ts';
import { formatPlacement, isDistributed, readPlacement } from './citus-placement.ts';
import { type AvailabilityObserver, type ConnectionLimits, ConnectionPool } from './connection-pool.ts';
import { migrateAndDistribute, readSchemaState, unsafeSettingsSql } from './migrate-postgres.ts';
import { DatabaseError, DatabaseTimeout, isUnreachableError } from './postgres-errors.ts';
import { migrations, type Step } from './postgres-migrations.ts';
import { findDurabilityFault, Readiness } from './postgres-readiness.ts';
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
const retryMs = 250;

/** Opens the database, whose tables are created or migrated. Throws `unavailable` with advice. */
export function openPostgresDatabase(options: PostgresOptions): Promise<OpenPostgresDatabase> {
  const { address, steps = migrations } = options;
  return connectAndUse(options, async (connections) => {
    if (options.mustExist && !(await readSchemaState(connections)))
      throw new NoteError('unavailable', storeMessage.noNotesInStore);
    await migrateAndDistribute(connections, steps, address.distribution);
    const found = await readPlacementAndHasChangeLog(connections);
    if (isDistributed(found.placement)) await assertDurableAndUtf8(connections, true);
    return { connections, ...found, knownSteps: steps.length };
  });
}

/**
 * Describes a database as text for people, without changing it. Throws as `openPostgres`, also if its schema is current
 * but notes cannot be written.
 */
export async function describePostgres(options: PostgresOptions) {
  await using connections = await connectAndUse(options, async (pool) => pool);
  const [facts] = await connections.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  const { version: schema } = (await readSchemaState(connections)) ?? { version: 0 };
  const known = migrations.length;
  const database = { connections, ...(await readPlacementAndHasChangeLog(connections)), knownSteps: known };
  if (schema >= known) await new Readiness(database).tryReadsAndWrites();
  const kind = formatPlacement(database.placement);
  const use = schema < known ? `the next start brings its schema from ${schema} to ${known}` : 'notes can be written';
  return `PostgreSQL ${facts?.version}${kind ? ` with ${kind}` : ''}, ${use}`;
}

/**
 * Connects to a database, waits until it can be reached, checks that its commits are durable, and returns what `use`
 * returns. The connections stay open, unless anything throws. Throws as `openPostgres`.
 */
async function connectAndUse<Result>(
  options: PostgresOptions,
  use: (connections: ConnectionPool) => Promise<Result>,
): Promise<Result> {
  const { address, waitMs = 0, onWaiting = () => {}, onAvailability = () => {} } = options;
  const limits = { ...defaultLimits, ...options };
  await using opened = new AsyncDisposableStack();
  let isOpen = false;
  const observer: AvailabilityObserver = (isAvailable, error) => {
    if (isOpen) onAvailability(isAvailable, isAvailable ? '' : explainOpenError(error));
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
    throw toOpenError(error, formatLocation(address));
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
      if (attempt === 1) onWaiting(explainOpenError(error));
      await Bun.sleep(Math.min(retryMs, left));
    }
  }
}

/** Checks on an open connection that commits are durable and that every text can be stored. */
async function assertDurableAndUtf8(connections: ConnectionPool, isCitus = false): Promise<void> {
  const [facts] = await connections.queryWithRetries<{ encoding: string; off: string | null }>(
    `SELECT current_setting('server_encoding') AS encoding, ${unsafeSettingsSql} AS off`,
  );
  if (facts?.encoding !== 'UTF8') throw new NoteError('unavailable', `its encoding is ${facts?.encoding}, not UTF8`);
  const fault = findDurabilityFault(facts.off, isCitus);
  if (fault !== undefined) throw new NoteError('unavailable', fault);
}

async function readPlacementAndHasChangeLog(
  connections: ConnectionPool,
): Promise<Pick<OpenPostgresDatabase, 'placement' | 'hasChangeLog'>> {
  const placement = await readPlacement((statement) => connections.queryWithRetries(statement));
  return { placement, hasChangeLog: placement.isPlain && (await findChangeLog(connections)) };
}

/** Returns whether both tables of the log exist. Throws `unavailable` if the role lacks rights to the log. */
async function findChangeLog(connections: ConnectionPool): Promise<boolean> {
  const [log] = await connections.queryWithRetries<{ has_rights: boolean | null }>(
    `SELECT bool_and(has_table_privilege(to_regclass(log), "right")) FILTER (WHERE is_complete) AS has_rights
     FROM (SELECT to_regclass('note_changes') IS NOT NULL AND to_regclass('note_changes_pruned') IS NOT NULL) AS tables(is_complete),
       (VALUES
       ('note_changes', 'SELECT'), ('note_changes', 'INSERT'), ('note_changes', 'DELETE'),
       ('note_changes_pruned', 'SELECT'), ('note_changes_pruned', 'UPDATE')) AS needed(log, "right")`,
  );
  if (log?.has_rights === false) {
    throw new NoteError('unavailable', `its role lacks rights to the log of changes. ${needed}`);
  }
  return log?.has_rights === true;
}

const needed = 'docs/operations/postgresql.md lists the rights that a role needs';

const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
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

const needsNoSession = 'a proxy such as PgBouncer refuses session settings. Add ?prepare=false to its address';

function explainOpenError(error: unknown): string {
  if (!(error instanceof DatabaseError)) return getErrorMessage(error);
  if (/unsupported startup parameter/.test(error.message)) return needsNoSession;
  const code = error.sqlState ?? error.code;
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? error.message;
  return code === '42501' ? `${reason}. ${needed}` : reason;
}

function toOpenError(error: unknown, location: string): NoteError {
  const isReachable = !(error instanceof DatabaseError && /^ERR_POSTGRES_CONNECTION/.test(error.code));
  const text = `Cannot use ${location}: ${explainOpenError(error)}`;
  return new NoteError(isReachable ? 'unavailable' : 'unreachable', text, { cause: error });
}
