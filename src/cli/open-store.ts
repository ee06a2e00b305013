import { type Config, isExposed, type PostgresAddress } from '../config.ts';
import type { NoteEngine } from '../domain/store.ts';
import type { Log } from '../http/log.ts';
import type { CommitObserver } from '../store/commit-queue.ts';
import type { PostgresOptions } from '../store/postgres/open.ts';
import { openSqlite } from '../store/sqlite/open.ts';
import { sqliteVersion, versionFault } from '../store/sqlite/version.ts';
import { whenNobodyHas } from './when-free.ts';

/** What the store tells while it is open. */
export interface StoreEvents {
  readonly onCommit: CommitObserver;
  /** What is on disk is no longer certain: the process should stop. */
  readonly onLost: (error: unknown) => void;
}

/** The settings that every use of a PostgreSQL database follows. */
export type PostgresSettings = Pick<Config, 'databaseTimeoutMs' | 'databaseWaitMs' | 'databasePrepare'>;

type Settings = PostgresSettings & Pick<Config, 'database' | 'databasePoolSize'>;

/** Opens the store that the settings name. Throws `NoteError` when it cannot be used. */
export async function openStore(settings: Settings, log: Log, { onCommit, onLost }: StoreEvents): Promise<NoteEngine> {
  const { database } = settings;
  if (database.engine === 'sqlite') {
    const onCopied = (copy: string) =>
      log.info({ copy }, `The database was migrated. A copy of it as it was is at ${copy}`);
    const open = () => openSqlite({ path: database.path, onCommit, onLost, onCopied });
    if (database.path === ':memory:') return open();
    const fault = versionFault(sqliteVersion());
    if (fault !== undefined) log.warn({}, fault);
    return whenNobodyHas(database.path, open);
  }
  const { openPostgres } = await import('../store/postgres/open.ts'); // the driver takes a tenth of the start
  return openPostgres({
    ...postgresOptions(database, settings, (sentence) => log.warn({ tls: database.tls }, sentence)),
    poolSize: settings.databasePoolSize,
    onCommit,
    onPlacement: (told) => log.info({ told }, `The database is ${told}`),
    onWaiting: (reason) => log.warn({ reason }, `Waiting for the database: ${reason}`),
    onPresence: (isThere, reason) => {
      if (isThere) log.info({}, 'The database is back');
      else log.warn({ reason }, 'The database is away');
    },
  });
}

/** How a PostgreSQL database is opened. `warn` is told where others may listen on the way. */
export function postgresOptions(
  address: PostgresAddress,
  settings: PostgresSettings,
  warn: (sentence: string) => void,
): PostgresOptions {
  if (isExposed(address)) warn(`With sslmode=${address.tls}, others on the way may read or forge notes`);
  const { databaseTimeoutMs: timeoutMs, databaseWaitMs: waitMs, databasePrepare: prepare } = settings;
  return { address, timeoutMs, waitMs, prepare };
}
