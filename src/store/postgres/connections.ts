import { SQL } from 'bun';
import { DatabaseError, databaseErrorOf, NoAnswer } from './failure.ts';

/** How to reach a database. */
export interface PostgresAddress {
  /** A name or an address; the folder of a Unix socket when it begins with a slash. */
  readonly hostname: string;
  readonly port: number;
  readonly database: string;
  readonly username: string;
  readonly password: string;
  readonly tls: 'disable' | 'require' | 'verify-ca' | 'verify-full';
  /** A file of certificates in PEM to trust instead of the system's. */
  readonly caFile?: string;
}

export interface ConnectionLimits {
  /** Most connections at once. */
  readonly poolSize: number;
  /** How long a statement may take, waiting for a connection included, in ms. */
  readonly timeoutMs: number;
  /** False where a proxy gives each transaction another connection: no named statements, no settings of a session. */
  readonly prepare: boolean;
}

/** One connection, for as long as it is held. */
export interface Connection {
  /** Runs statements that take no values, one after the other in one message, and returns the rows of the last one. */
  run<Row>(statements: string): Promise<Row[]>;
  /** Gives the connection back; one that is in the middle of something is closed. */
  release(): void;
}

/** The server ends a statement itself where it can; our own patience lasts a little longer. */
const graceMs = 500;

/**
 * Connections to a database. Every statement has a deadline, and when the database misses one, all connections are
 * given up for new ones: a server that is frozen or cut off says nothing, and its connections would hang for ever.
 */
export class Connections implements AsyncDisposable {
  readonly #options: SQL.Options;
  readonly #deadlineMs: number;
  #sql: SQL;

  constructor(address: PostgresAddress, { poolSize, timeoutMs, prepare }: ConnectionLimits) {
    this.#deadlineMs = timeoutMs + graceMs;
    this.#options = {
      ...addressOptions(address),
      max: poolSize,
      prepare,
      connectionTimeout: timeoutMs / 1000,
      ...(prepare && { connection: sessionSettings(timeoutMs) }),
    };
    this.#sql = new SQL(this.#options);
  }

  /** The rows that a statement returns, by column name. Throws `DatabaseError` or `NoAnswer`. */
  rows<Row>(statement: string, values: readonly unknown[] = [], withinMs = this.#deadlineMs): Promise<Row[]> {
    const sql = this.#sql;
    return this.#within(sql, sql.unsafe<Row[]>(statement, [...values]), withinMs);
  }

  /** As `rows`, for statements that only read: they are run once more when their connection is lost. */
  async read<Row>(statement: string, values: readonly unknown[] = [], withinMs?: number): Promise<Row[]> {
    try {
      return await this.rows<Row>(statement, values, withinMs);
    } catch (error) {
      if (!isLost(error)) throw error;
      return this.rows<Row>(statement, values, withinMs);
    }
  }

  /** A connection of one's own, until it is released. */
  async hold(): Promise<Connection> {
    const sql = this.#sql;
    const held = await this.#within(sql, sql.reserve({ signal: AbortSignal.timeout(this.#deadlineMs) }));
    return {
      run: async <Row>(statements: string) => {
        const results = await this.#within(sql, held.unsafe(statements).simple());
        return (Array.isArray(results[0]) ? results.at(-1) : results) as Row[];
      },
      release: () => void held.release(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.close({ timeout: 1 });
  }

  async #within<Result>(sql: SQL, work: Promise<Result>, ms = this.#deadlineMs): Promise<Result> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new NoAnswer(ms));
      if (ms >= this.#deadlineMs) this.#giveUp(sql);
    }, ms);
    try {
      return await Promise.race([work, late.promise]);
    } catch (error) {
      throw databaseErrorOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #giveUp(sql: SQL): void {
    if (sql !== this.#sql) return;
    this.#sql = new SQL(this.#options);
    sql.close({ timeout: 0 }).catch(() => {}); // whoever waited on it was told
  }
}

/** The connection broke, and not because of the statement. */
const isLost = (error: unknown) =>
  error instanceof DatabaseError &&
  (error.code === 'ERR_POSTGRES_CONNECTION_CLOSED' || /^57P0[12]/.test(error.sqlState ?? ''));

/** Named one by one: in a URL, some would yield to variables of the environment. */
function addressOptions({ hostname, port, database, username, password, tls, caFile }: PostgresAddress): SQL.Options {
  const ca = caFile === undefined ? undefined : Bun.file(caFile);
  const withCa = ca && (tls === 'verify-full' ? { ca } : { ca, checkServerIdentity: () => undefined });
  return { adapter: 'postgres', hostname, port, database, username, password, tls: withCa ?? tls };
}

const sessionSettings = (timeoutMs: number) => ({
  application_name: 'notes',
  statement_timeout: timeoutMs,
  idle_in_transaction_session_timeout: 2 * timeoutMs,
});
