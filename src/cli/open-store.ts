import { type Config, isExposed } from '../config.ts';
import type { NoteEngine } from '../domain/store.ts';
import type { Log } from '../http/log.ts';
import type { CommitObserver } from '../store/commit-queue.ts';
import { openPostgres } from '../store/postgres/open.ts';
import { openSqlite } from '../store/sqlite/open.ts';

/** What the store tells while it is open. */
export interface StoreEvents {
  readonly onCommit: CommitObserver;
  /** What is on disk is no longer certain: the process should stop. */
  readonly onLost: (error: unknown) => void;
}

type Settings = Pick<
  Config,
  'database' | 'databasePoolSize' | 'databaseTimeoutMs' | 'databaseWaitMs' | 'databasePrepare'
>;

/** Opens the store that the settings name. Throws `NoteError` when it cannot be used. */
export async function openStore(settings: Settings, log: Log, { onCommit, onLost }: StoreEvents): Promise<NoteEngine> {
  const { database } = settings;
  if (database.engine === 'sqlite') {
    const onCopied = (copy: string) => log.info({ copy }, `The database is being migrated. A copy of it is at ${copy}`);
    return openSqlite({ path: database.path, onCommit, onLost, onCopied });
  }
  if (isExposed(database)) {
    log.warn({ tls: database.tls }, `With sslmode=${database.tls}, others on the way may read or forge notes`);
  }
  return openPostgres({
    address: database,
    poolSize: settings.databasePoolSize,
    timeoutMs: settings.databaseTimeoutMs,
    waitMs: settings.databaseWaitMs,
    prepare: settings.databasePrepare,
    onCommit,
    onWaiting: (reason) => log.warn({ reason }, `Waiting for the database: ${reason}`),
    onPresence: (isThere, reason) => {
      if (isThere) log.info({}, 'The database is back');
      else log.warn({ reason }, 'The database is away');
    },
  });
}
