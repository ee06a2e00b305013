import { SQL } from 'bun';
import type { PostgresAddress } from '../../core/tools/postgres-address.ts';
import { databaseErrorOf, isAway, isReadOnly, NoAnswer } from './failure.ts';

export interface ConnectionLimits {
  readonly poolSize: number;
  /** Timeout of a statement, including the wait for a connection, in ms. */
  readonly timeoutMs: number;
  /** Idle time after which a connection is closed, in ms. */
  readonly idleMs?: number;
}

/** Called when the database becomes unreachable, with the error, and when it is back. */
export type PresenceObserver = (isThere: boolean, error?: unknown) => void;

export interface Connection {
  /** Runs statements without values in one message and returns the rows of each. */
  results(statements: string): Promise<readonly (readonly unknown[])[]>;
  /** Like `results`, but returns the rows of the last one. */
  run<Row>(statements: string): Promise<Row[]>;
  /** Returns the connection to the pool, or closes it if it is busy. */
  release(): void;
}

export async function rollBack(connection: Connection): Promise<void> {
  await connection.run('ROLLBACK').catch(() => {});
  connection.release();
}

/** Extra time in which the server can cancel a statement itself, in ms. */
const graceMs = 500;

/** In ms; shorter than another instance waits for a connection at startup. */
const defaultIdleMs = 20_000;

/** For how long, and at which interval, reads are retried while the database is unreachable, in ms. */
const maxRetryMs = 2_000;
const retryMs = 50;

/** Pause between two looks whether new connections may write, in ms. */
const replacementPauseMs = 1_000;

const selectIsWritable = `SELECT current_setting('transaction_read_only') = 'off' AS is_writable`;

/**
 * A pool of connections. Every statement has a deadline. If the database misses one, all connections are replaced: a
 * server that is frozen or cut off sends nothing, so they would hang forever. If one is read-only and new ones are not,
 * all are replaced too, once they have finished what they do.
 */
export class Connections implements AsyncDisposable {
  readonly #options: SQL.Options;
  readonly #deadlineMs: number;
  readonly #onPresence: PresenceObserver;
  #sql: SQL;
  /** Former pools that finish what they do. */
  readonly #retired = new Set<SQL>();
  /** The last replacement of read-only connections, for as long as it is not tried again. */
  #replacement: Promise<boolean> | undefined;
  #isThere = true;

  constructor(
    address: PostgresAddress,
    { poolSize, timeoutMs, idleMs = defaultIdleMs }: ConnectionLimits,
    onPresence: PresenceObserver = () => {},
  ) {
    const { prepare } = address;
    this.#onPresence = onPresence;
    this.#deadlineMs = timeoutMs + graceMs;
    this.#options = {
      ...addressOptions(address),
      max: poolSize,
      prepare,
      connectionTimeout: timeoutMs / 1000,
      idleTimeout: idleMs / 1000,
      ...(prepare && { connection: sessionSettings(timeoutMs) }),
    };
    this.#sql = new SQL(this.#options);
  }

  /** Runs a statement and returns its rows by column name. Throws `DatabaseError` or `NoAnswer`. */
  rows<Row>(statement: string, values: readonly unknown[] = [], ms = this.#deadlineMs): Promise<Row[]> {
    const sql = this.#sql;
    const query = sql.unsafe<Row[]>(statement, [...values]);
    return this.#observed(
      within(ms, query, () => {
        query.cancel();
        this.#giveUp(sql);
      }),
    );
  }

  /** Like `rows`, for statements that only read: retries for a moment while the database is unreachable. */
  read<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#withRetries((leftMs) => this.rows<Row>(statement, values, leftMs));
  }

  /** Waits up to `ms` for a statement, which continues until its own deadline. */
  awaited<Result>(work: Promise<Result>, ms: number): Promise<Result> {
    return this.#observed(within(ms, work, () => {}));
  }

  hold(): Promise<Connection> {
    return this.#withRetries((leftMs) => this.#reserve(leftMs));
  }

  async #reserve(leftMs: number): Promise<Connection> {
    const sql = this.#sql;
    let isSilent = false;
    const giveUp = () => {
      isSilent = true;
      this.#giveUp(sql);
    };
    const held = await this.#failureObserved(within(leftMs, sql.reserve(), giveUp));
    const results = async (statements: string) => {
      if (isSilent) throw new NoAnswer(0);
      try {
        const all = await within(this.#deadlineMs, held.unsafe(statements).simple(), giveUp);
        this.#observe(true);
        return resultsOf(all);
      } catch (error) {
        if (isReadOnly(error)) void this.replaceReadOnly();
        throw error;
      }
    };
    return {
      results,
      run: async <Row>(statements: string) => [...((await results(statements)).at(-1) ?? [])] as Row[],
      release: () => void held.release(),
    };
  }

  /** Limits work in several steps; by default to the deadline of a statement. Passes a late result to `discarded`. */
  inTime<Result>(
    work: Promise<Result>,
    { ms = this.#deadlineMs, discarded = () => {} }: { ms?: number; discarded?: (late: Result) => void } = {},
  ): Promise<Result> {
    return within(ms, work, () => void work.then(discarded, () => {}));
  }

  /**
   * Replaces all connections if new ones may write, and resolves to whether they may. A session keeps the
   * `default_transaction_read_only` that it began with, and a proxy may keep it at a server that is no longer the
   * primary. Asks the database at most once a second: further calls share the result.
   */
  replaceReadOnly(): Promise<boolean> {
    this.#replacement ??= this.#replaceIfWritable().finally(() => {
      setTimeout(() => (this.#replacement = undefined), replacementPauseMs).unref();
    });
    return this.#replacement;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#sql, ...this.#retired].map((sql) => sql.close({ timeout: 1 })));
  }

  async #replaceIfWritable(): Promise<boolean> {
    const sql = this.#sql;
    const isWritable = await this.#canNewConnectionWrite();
    if (isWritable && sql === this.#sql) {
      this.#sql = new SQL(this.#options);
      this.#retire(sql);
    }
    return isWritable;
  }

  async #canNewConnectionWrite(): Promise<boolean> {
    const sql = new SQL({ ...this.#options, max: 1 });
    try {
      const query = sql.unsafe<{ is_writable: boolean }[]>(selectIsWritable);
      const [row] = await within(this.#deadlineMs, query, () => {});
      return row?.is_writable === true;
    } catch {
      return false; // the statements of requests tell what is wrong
    } finally {
      sql.close({ timeout: 0 }).catch(() => {});
    }
  }

  /** Closes a pool after the statements that run or wait, and the connections that are held. */
  #retire(sql: SQL): void {
    this.#retired.add(sql);
    const forget = () => void this.#retired.delete(sql);
    sql.close().then(forget, forget);
  }

  async #withRetries<Result>(attempt: (leftMs: number) => Promise<Result>): Promise<Result> {
    const started = performance.now();
    for (let leftMs = this.#deadlineMs; ; leftMs = this.#deadlineMs - (performance.now() - started)) {
      try {
        return await attempt(leftMs);
      } catch (error) {
        const spentMs = performance.now() - started;
        if (!isAway(error) || spentMs > Math.min(maxRetryMs, this.#deadlineMs / 2)) throw error;
        await Bun.sleep(retryMs);
      }
    }
  }

  async #observed<Result>(work: Promise<Result>): Promise<Result> {
    const result = await this.#failureObserved(work);
    this.#observe(true);
    return result;
  }

  /** Observes failures only: a frozen database still has idle connections to reserve. */
  async #failureObserved<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (isAway(error) || error instanceof NoAnswer) this.#observe(false, error);
      if (isReadOnly(error)) void this.replaceReadOnly();
      throw error;
    }
  }

  #observe(isThere: boolean, error?: unknown): void {
    if (isThere === this.#isThere) return;
    this.#isThere = isThere;
    this.#onPresence(isThere, error);
  }

  #giveUp(sql: SQL): void {
    if (sql === this.#sql) this.#sql = new SQL(this.#options);
    sql.close({ timeout: 0 }).catch(() => {}); // pending queries have been rejected
  }
}

/** The driver returns rows per statement, unless there is only one. */
const resultsOf = (results: readonly unknown[]): readonly (readonly unknown[])[] =>
  results.every((rows) => Array.isArray(rows)) && results.length > 0 ? results : [results];

async function within<Result>(ms: number, work: Promise<Result>, onLate: () => void): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new NoAnswer(Math.round(ms)));
    onLate();
  }, ms);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    throw databaseErrorOf(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Passed as options, because environment variables override parts of a URL. */
function addressOptions({ hostname, port, database, username, password, tls, caFile }: PostgresAddress): SQL.Options {
  const ca = caFile === undefined ? undefined : Bun.file(caFile);
  const withCa =
    ca && tls !== 'disable' && (tls === 'verify-full' ? { ca } : { ca, checkServerIdentity: () => undefined });
  const url = 'postgres://'; // otherwise the driver reads DATABASE_URL and sends its unknown parameters to the server
  return { adapter: 'postgres', url, hostname, port, database, username, password, tls: withCa || tls };
}

const sessionSettings = (timeoutMs: number) => ({
  application_name: 'notes',
  statement_timeout: timeoutMs,
  idle_in_transaction_session_timeout: Math.max(2 * timeoutMs, 40_000), // a slow reader may pause for 30 s
});
