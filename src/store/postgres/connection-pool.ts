import { SQL } from 'bun';
import type { PostgresAddress } from '../../core/postgres-address.ts';
import {
  DatabaseTimeout,
  isReadOnlyError,
  isUnreachableError,
  toDatabaseErrorIfFromDriver,
} from './postgres-errors.ts';

export interface ConnectionLimits {
  readonly poolSize: number;
  /** Timeout of a statement, including the wait for a connection, in ms. */
  readonly timeoutMs: number;
  /** Idle time after which a connection is closed, in ms. */
  readonly idleMs?: number;
}

/** Called when the database becomes unreachable, with the error, and when it can be reached again. */
export type AvailabilityObserver = (isAvailable: boolean, error?: unknown) => void;

/** Runs a statement and returns its rows. */
export type RunQuery = <Row>(statement: string) => Promise<Row[]>;

/** A connection that nobody else uses until it is released, for transactions. */
export interface Connection {
  /** Runs statements without values in one message and returns the rows of each. */
  queryEach(statements: string): Promise<readonly (readonly unknown[])[]>;
  /** Runs statements without values in one message and returns the rows of the last one. */
  query<Row>(statements: string): Promise<Row[]>;
  /** Returns the connection to the pool, or closes it if it is busy. */
  release(): void;
}

/** Ends the transaction of a connection, if it has one. Never rejects. */
export async function rollBackAndRelease(connection: Connection): Promise<void> {
  await connection.query('ROLLBACK').catch(() => {});
  connection.release();
}

/** The server gets this time to cancel a late statement itself before we end its connection, in ms. */
const graceMs = 500;

/**
 * By default, a connection that is idle for longer is closed, in ms. Shorter than a starting instance waits for one.
 */
const defaultIdleMs = 20_000;

/** For how long, and at which interval, reads are retried while the database is unreachable, in ms. */
const maxRetryMs = 2_000;
const retryPauseMs = 50;

/** The least time between two checks whether new connections may write, in ms. */
const replacementPauseMs = 1_000;

const selectIsWritable = `SELECT current_setting('transaction_read_only') = 'off' AS is_writable`;

/**
 * A pool of connections in which every statement has a deadline. If the database misses one, all connections are
 * replaced at once: a server that is frozen or cut off sends nothing, so they would hang forever. If a connection turns
 * out to be read-only and new ones are not, all are replaced too, each when it has finished its work.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly #options: SQL.Options;
  readonly #deadlineMs: number;
  readonly #onAvailability: AvailabilityObserver;
  #sql: SQL;
  /** Former pools, whose connections finish their work before they are closed. */
  readonly #closing = new Set<SQL>();
  /** The last replacement of read-only connections; undefined when another one may be tried. */
  #replacement: Promise<boolean> | undefined;
  #isAvailable = true;

  constructor(
    address: PostgresAddress,
    { poolSize, timeoutMs, idleMs = defaultIdleMs }: ConnectionLimits,
    onAvailability: AvailabilityObserver = () => {},
  ) {
    const { prepare } = address;
    this.#onAvailability = onAvailability;
    this.#deadlineMs = timeoutMs + graceMs;
    this.#options = {
      ...toDriverOptions(address),
      max: poolSize,
      prepare,
      connectionTimeout: timeoutMs / 1000,
      idleTimeout: idleMs / 1000,
      ...(prepare && { connection: createSessionSettings(timeoutMs) }),
    };
    this.#sql = new SQL(this.#options);
  }

  /** Runs a statement and returns its rows by column name. Throws `DatabaseError` or `DatabaseTimeout`. */
  query<Row>(statement: string, values: readonly unknown[] = [], ms = this.#deadlineMs): Promise<Row[]> {
    const sql = this.#sql;
    const query = sql.unsafe<Row[]>(statement, [...values]);
    return this.#reportAvailability(
      withTimeoutAndDatabaseErrors(ms, query, () => {
        query.cancel();
        this.#replaceAndForceClose(sql);
      }),
    );
  }

  /** Like `query`, for statements that only read: they are retried for up to 2 s while the database is unreachable. */
  readWithRetries<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#withRetries((leftMs) => this.query<Row>(statement, values, leftMs));
  }

  /**
   * Waits up to `ms` for a statement, which itself continues until its own deadline. Whether it came in time is
   * reported to the observer.
   */
  limitWaitAndReportAvailability<Result>(work: Promise<Result>, ms: number): Promise<Result> {
    return this.#reportAvailability(withTimeoutAndDatabaseErrors(ms, work, () => {}));
  }

  /** Removes a connection from the pool until `release`. Retries like `readWithRetries`. */
  reserve(): Promise<Connection> {
    return this.#withRetries((leftMs) => this.#reserveOnce(leftMs));
  }

  async #reserveOnce(leftMs: number): Promise<Connection> {
    const sql = this.#sql;
    let hasMissedDeadline = false;
    const onLate = () => {
      hasMissedDeadline = true;
      this.#replaceAndForceClose(sql);
    };
    const reserved = await this.#awaitAndReportFailure(withTimeoutAndDatabaseErrors(leftMs, sql.reserve(), onLate));
    const queryEach = async (statements: string) => {
      if (hasMissedDeadline) throw new DatabaseTimeout(0);
      try {
        const all = await withTimeoutAndDatabaseErrors(this.#deadlineMs, reserved.unsafe(statements).simple(), onLate);
        this.#setAvailability(true);
        return toRowListPerStatement(all);
      } catch (error) {
        if (isReadOnlyError(error)) void this.replaceConnectionsIfWritable();
        throw error;
      }
    };
    return {
      queryEach,
      query: async <Row>(statements: string) => [...((await queryEach(statements)).at(-1) ?? [])] as Row[],
      release: () => void reserved.release(),
    };
  }

  /**
   * Rejects if work of several statements takes longer than `ms`, by default the deadline of one statement. The work
   * goes on, and its late result is passed to `onLateResult`.
   */
  limitWait<Result>(
    work: Promise<Result>,
    { ms = this.#deadlineMs, onLateResult = () => {} }: { ms?: number; onLateResult?: (late: Result) => void } = {},
  ): Promise<Result> {
    return withTimeoutAndDatabaseErrors(ms, work, () => void work.then(onLateResult, () => {}));
  }

  /**
   * Replaces all connections if new ones may write, and resolves to whether they may. A session does not notice that
   * `default_transaction_read_only` was changed after it began, and a proxy may go on using a server that is no longer
   * the primary. The database is asked at most once a second: further calls share the result.
   */
  replaceConnectionsIfWritable(): Promise<boolean> {
    this.#replacement ??= this.#replaceIfWritable().finally(() => {
      setTimeout(() => (this.#replacement = undefined), replacementPauseMs).unref();
    });
    return this.#replacement;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#sql, ...this.#closing].map((sql) => sql.close({ timeout: 1 })));
  }

  async #replaceIfWritable(): Promise<boolean> {
    const sql = this.#sql;
    const isWritable = await this.#canNewConnectionWrite();
    if (isWritable && sql === this.#sql) {
      this.#sql = new SQL(this.#options);
      this.#closeAfterUse(sql);
    }
    return isWritable;
  }

  async #canNewConnectionWrite(): Promise<boolean> {
    const sql = new SQL({ ...this.#options, max: 1 });
    try {
      const query = sql.unsafe<{ is_writable: boolean }[]>(selectIsWritable);
      const [row] = await withTimeoutAndDatabaseErrors(this.#deadlineMs, query, () => {});
      return row?.is_writable === true;
    } catch {
      return false; // the statements of requests report what is wrong
    } finally {
      sql.close({ timeout: 0 }).catch(() => {});
    }
  }

  /** Closes a pool when its running and waiting statements have ended and its reserved connections were released. */
  #closeAfterUse(sql: SQL): void {
    this.#closing.add(sql);
    const onClosed = () => void this.#closing.delete(sql);
    sql.close().then(onClosed, onClosed);
  }

  async #withRetries<Result>(attempt: (leftMs: number) => Promise<Result>): Promise<Result> {
    const started = performance.now();
    for (let leftMs = this.#deadlineMs; ; leftMs = this.#deadlineMs - (performance.now() - started)) {
      try {
        return await attempt(leftMs);
      } catch (error) {
        const spentMs = performance.now() - started;
        if (!isUnreachableError(error) || spentMs > Math.min(maxRetryMs, this.#deadlineMs / 2)) throw error;
        await Bun.sleep(retryPauseMs);
      }
    }
  }

  /** Waits for work, and reports that the database is available if it succeeds, unavailable if it fails for that. */
  async #reportAvailability<Result>(work: Promise<Result>): Promise<Result> {
    const result = await this.#awaitAndReportFailure(work);
    this.#setAvailability(true);
    return result;
  }

  /** Reports failures only: that a connection was reserved proves nothing, as a frozen database has idle ones too. */
  async #awaitAndReportFailure<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (isUnreachableError(error) || error instanceof DatabaseTimeout) this.#setAvailability(false, error);
      if (isReadOnlyError(error)) void this.replaceConnectionsIfWritable();
      throw error;
    }
  }

  #setAvailability(isAvailable: boolean, error?: unknown): void {
    if (isAvailable === this.#isAvailable) return;
    this.#isAvailable = isAvailable;
    this.#onAvailability(isAvailable, error);
  }

  /** Closes a pool at once, with its running statements, and creates another one in its place. */
  #replaceAndForceClose(sql: SQL): void {
    if (sql === this.#sql) this.#sql = new SQL(this.#options);
    sql.close({ timeout: 0 }).catch(() => {}); // pending queries have been rejected
  }
}

/** The driver returns a list of rows per statement, but only the rows if there is a single statement. */
const toRowListPerStatement = (results: readonly unknown[]): readonly (readonly unknown[])[] =>
  results.every((rows) => Array.isArray(rows)) && results.length > 0 ? results : [results];

/** Rejects with `DatabaseTimeout` if work takes longer than `ms`, and calls `onLate` then. Converts other errors. */
async function withTimeoutAndDatabaseErrors<Result>(
  ms: number,
  work: Promise<Result>,
  onLate: () => void,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new DatabaseTimeout(Math.round(ms)));
    onLate();
  }, ms);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    throw toDatabaseErrorIfFromDriver(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The address is passed as options and not as a URL, because environment variables override parts of a URL. */
function toDriverOptions({ hostname, port, database, username, password, tls, caFile }: PostgresAddress): SQL.Options {
  const ca = caFile === undefined ? undefined : Bun.file(caFile);
  const withCa =
    ca && tls !== 'disable' && (tls === 'verify-full' ? { ca } : { ca, checkServerIdentity: () => undefined });
  const url = 'postgres://'; // otherwise the driver reads DATABASE_URL and sends its unknown parameters to the server
  return { adapter: 'postgres', url, hostname, port, database, username, password, tls: withCa || tls };
}

const createSessionSettings = (timeoutMs: number) => ({
  application_name: 'notes',
  statement_timeout: timeoutMs,
  idle_in_transaction_session_timeout: Math.max(2 * timeoutMs, 40_000), // a slow reader may pause for 30 s
});
