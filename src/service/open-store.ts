import { Database } from 'bun:sqlite';
import type { Config } from '../config/config.ts';
import { lacksVerifiedTlsOverNetwork, type PostgresAddress } from '../core/postgres-address.ts';
import type { NoteEngine } from '../core/store.ts';
import type { PostgresStoreOptions } from '../store/open-postgres.ts';
import { openSqlite } from '../store/open-sqlite.ts';
import type { CommitObserver } from '../store/store-settings.ts';
import type { Log } from './log.ts';

/** Earlier versions may corrupt a database during a checkpoint: https://www.sqlite.org/wal.html#walresetbug */
const firstSoundVersion = '3.51.3';

/** Returns a warning for a version of SQLite that may damage a database; undefined for a sound one. */
export function findSqliteVersionProblem(version: string): string | undefined {
  if (Bun.semver.satisfies(version, `>=${firstSoundVersion}`)) return undefined;
  return (
    `SQLite ${version} may damage a database that other programs also write to: avoid that, ` +
    `or use ${firstSoundVersion} or newer`
  );
}

/** Reads the SQLite version of the runtime; on macOS, that of the system. */
export function readSqliteVersion(): string {
  using db = new Database(':memory:');
  const [row] = db.prepare<{ version: string }, []>('SELECT sqlite_version() AS version').all();
  return row?.version ?? '';
}

/** An open store reports these events. */
interface StoreEvents {
  readonly onCommit: CommitObserver;
  /** Is called when the state on disk is uncertain, so that the process should stop. */
  readonly onLost: (error: unknown) => void;
}

/** Every use of a PostgreSQL database needs these settings. */
export type PostgresSettings = Pick<Config, 'databaseTimeoutMs'>;

interface OpenStoreSettings
  extends PostgresSettings,
    Pick<Config, 'database' | 'databasePoolSize' | 'historyVersions'> {
  /** Throws instead of creating a missing store. */
  readonly mustExist?: boolean;
}

type StoreLog = Pick<Log, 'info' | 'warn'>;

/** Opens the configured store. Throws `NoteError`. */
export async function openStore(settings: OpenStoreSettings, log: StoreLog, events: StoreEvents): Promise<NoteEngine> {
  const { database, mustExist = false, historyVersions: maxVersions } = settings;
  if (database.engine === 'sqlite') {
    const onCopied = (copy: string) =>
      log.info({ copy }, `The database was migrated. A copy of the old database is at ${copy}`);
    const onWarning = (sentence: string) => log.warn({}, sentence);
    const open = () => openSqlite({ path: database.path, mustExist, maxVersions, ...events, onCopied, onWarning });
    if (database.path === ':memory:') return open();
    const fault = findSqliteVersionProblem(readSqliteVersion());
    if (fault !== undefined) log.warn({}, fault);
    return open();
  }
  const { openPostgres } = await import('../store/open-postgres.ts'); // a tenth of the start
  const { formatLocation } = await import('../store/postgres/open-postgres-database.ts');
  return openPostgres({
    ...createPostgresOptionsAndWarn(database, settings, (sentence) => log.warn({ tls: database.tls }, sentence)),
    waitMs: database.connectTimeoutMs,
    poolSize: settings.databasePoolSize,
    mustExist,
    maxVersions,
    onCommit: events.onCommit,
    onPlacement: (placement) => log.info({ placement }, `The database is ${placement}`),
    onWaiting: (reason) => log.warn({ reason }, `Waiting for the database at ${formatLocation(database)}: ${reason}`),
    onAvailability: (isAvailable, reason) => {
      if (isAvailable) log.info({}, 'The database is available again');
      else log.warn({ reason }, 'The database is unavailable');
    },
  });
}

/** Creates the options to open a PostgreSQL database. Warns if the connection is not protected. */
export function createPostgresOptionsAndWarn(
  address: PostgresAddress,
  settings: PostgresSettings,
  warn: (sentence: string) => void,
): PostgresStoreOptions {
  if (lacksVerifiedTlsOverNetwork(address))
    warn(`With sslmode=${address.tls}, others on the network may read or forge notes`);
  return { address, timeoutMs: settings.databaseTimeoutMs };
}
