import { SQL } from 'bun';
import type { PostgresAddress } from '../../shared/postgres-address.ts';
import { databaseErrorOf, isAway, NoAnswer } from './failure.ts';

export interface ConnectionLimits {
  /** Most connections at once. */
  readonly poolSize: number;
  /** How long a statement may take, waiting for a connection included, in ms. */
  readonly timeoutMs: number;
  /** False where a proxy gives each transaction another connection: no named statements, no settings of a session. */
  readonly prepare: boolean;
  /** How long a connection may do nothing, in ms, before it is given back to the server. */
  readonly idleMs?: number;
}

/** Told when the database goes away, with the error that says so, and when it is back. */
export type PresenceObserver = (isThere: boolean, error?: unknown) => void;

/** One connection, for as long as it is held. */
export interface Connection {
  /** Runs statements that take no values, one after the other in one message, and returns the rows of the last one. */
  run<Row>(statements: string): Promise<Row[]>;
  /** Gives the connection back; one that is in the middle of something is closed. */
  release(): void;
}

/** Undoes what a connection has not committed, and gives it back. One that is broken is closed. */
export async function rollBack(connection: Connection): Promise<void> {
  await connection.run('ROLLBACK').catch(() => {});
  connection.release();
}

/** The server ends a statement itself where it can; our own patience lasts a little longer. */
const graceMs = 500;

/** Shorter than another instance waits for a connection at its start. */
const defaultIdleMs = 20_000;

/** How long, and how often, a read is tried again while the database is away. */
const patienceMs = 2_000;
const retryMs = 50;

/**
 * Connections to a database. Every statement has a deadline, and when the database misses one, all connections are
 * given up for new ones: a server that is frozen or cut off says nothing, and its connections would hang for ever.
 */
export class Connections implements AsyncDisposable {
  readonly #options: SQL.Options;
  readonly #deadlineMs: number;
  readonly #onPresence: PresenceObserver;
  #sql: SQL;
  #isThere = true;
  #made = 0;

  constructor(
    address: PostgresAddress,
    { poolSize, timeoutMs, prepare, idleMs = defaultIdleMs }: ConnectionLimits,
    onPresence: PresenceObserver = () => {},
  ) {
    this.#onPresence = onPresence;
    this.#deadlineMs = timeoutMs + graceMs;
    this.#options = {
      ...addressOptions(address),
      max: poolSize,
      prepare,
      connectionTimeout: timeoutMs / 1000,
      idleTimeout: idleMs / 1000,
      onconnect: () => void this.#made++,
      ...(prepare && { connection: sessionSettings(timeoutMs) }),
    };
    this.#sql = new SQL(this.#options);
  }

  /** How many connections were made so far. */
  get made(): number {
    return this.#made;
  }

  /** The rows that a statement returns, by column name. Throws `DatabaseError` or `NoAnswer`. */
  rows<Row>(statement: string, values: readonly unknown[] = [], ms = this.#deadlineMs): Promise<Row[]> {
    return this.#answer((sql) => sql.unsafe<Row[]>(statement, [...values]), ms);
  }

  /** As `rows`, of the last of several statements that take no values: as one message, they are one transaction. */
  async together<Row>(statements: readonly string[]): Promise<Row[]> {
    return lastOf(await this.#answer((sql) => sql.unsafe(statements.join('; ')).simple(), this.#deadlineMs));
  }

  #answer<Result>(ask: (sql: SQL) => SQL.Query<Result>, ms: number): Promise<Result> {
    const sql = this.#sql;
    const query = ask(sql);
    return this.#observed(
      within(ms, query, () => {
        query.cancel();
        this.#giveUp(sql);
      }),
    );
  }

  /** As `rows`, for statements that only read: they are tried again while the database is away, for a moment. */
  read<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#patiently((leftMs) => this.rows<Row>(statement, values, leftMs));
  }

  /** What comes of some work on the database, for those who wait for `ms` only: it goes on until its own deadline. */
  awaited<Result>(work: Promise<Result>, ms: number): Promise<Result> {
    return this.#observed(within(ms, work, () => {}));
  }

  /** A connection of one's own, until it is released; waited for as `read` does. */
  hold(): Promise<Connection> {
    return this.#patiently((leftMs) => this.#reserve(leftMs));
  }

  async #reserve(leftMs: number): Promise<Connection> {
    const sql = this.#sql;
    let isSilent = false;
    const giveUp = () => {
      isSilent = true;
      this.#giveUp(sql);
    };
    const held = await this.#observed(within(leftMs, sql.reserve(), giveUp));
    return {
      run: async <Row>(statements: string) => {
        if (isSilent) throw new NoAnswer(0);
        return lastOf<Row>(await within(this.#deadlineMs, held.unsafe(statements).simple(), giveUp));
      },
      release: () => void held.release(),
    };
  }

  /**
   * The result of reading in several steps, unless it takes longer than one statement may. What comes too late is
   * `discarded`.
   */
  inTime<Result>(work: Promise<Result>, discarded: (late: Result) => void = () => {}): Promise<Result> {
    return within(this.#deadlineMs, work, () => void work.then(discarded, () => {}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.close({ timeout: 1 });
  }

  async #patiently<Result>(attempt: (leftMs: number) => Promise<Result>): Promise<Result> {
    const started = performance.now();
    for (let leftMs = this.#deadlineMs; ; leftMs = this.#deadlineMs - (performance.now() - started)) {
      try {
        return await attempt(leftMs);
      } catch (error) {
        const spentMs = performance.now() - started;
        if (!isAway(error) || spentMs > Math.min(patienceMs, this.#deadlineMs / 2)) throw error;
        await Bun.sleep(retryMs);
      }
    }
  }

  async #observed<Result>(work: Promise<Result>): Promise<Result> {
    try {
      const result = await work;
      this.#observe(true);
      return result;
    } catch (error) {
      if (isAway(error) || error instanceof NoAnswer) this.#observe(false, error);
      throw error;
    }
  }

  #observe(isThere: boolean, error?: unknown): void {
    if (isThere === this.#isThere) return;
    this.#isThere = isThere;
    this.#onPresence(isThere, error);
  }

  #giveUp(sql: SQL): void {
    if (sql !== this.#sql) return;
    this.#sql = new SQL(this.#options);
    sql.close({ timeout: 0 }).catch(() => {}); // whoever waited on it was told
  }
}

/** The rows of the last statement in a message: the driver gives those of each, unless there is only one. */
const lastOf = <Row>(results: readonly unknown[]) => (Array.isArray(results[0]) ? results.at(-1) : results) as Row[];

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

/** Named one by one: in a URL, some would yield to variables of the environment. */
function addressOptions({ hostname, port, database, username, password, tls, caFile }: PostgresAddress): SQL.Options {
  const ca = caFile === undefined ? undefined : Bun.file(caFile);
  const withCa =
    ca && tls !== 'disable' && (tls === 'verify-full' ? { ca } : { ca, checkServerIdentity: () => undefined });
  const url = 'postgres://'; // else the driver reads DATABASE_URL, and sends the server what it does not know in there
  return { adapter: 'postgres', url, hostname, port, database, username, password, tls: withCa || tls };
}

const sessionSettings = (timeoutMs: number) => ({
  application_name: 'notes',
  statement_timeout: timeoutMs,
  idle_in_transaction_session_timeout: Math.max(2 * timeoutMs, 10_000), // a slow reader may pause for 2 s
});
