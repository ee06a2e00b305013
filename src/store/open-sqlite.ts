import type { NoteEngine } from '../core/store.ts';
import { DatabaseNoteStore } from './database-note-store.ts';
import { retryWhileDatabaseBusy } from './retry-while-database-busy.ts';
import { toOpenNoteError } from './sqlite/open-error.ts';
import {
  type DatabaseOptions,
  lockRecoverAndMigrateDatabase,
  openReadOnlyIfNotWritable,
} from './sqlite/open-sqlite-database.ts';
import { type SqliteContext, SqliteStorage } from './sqlite/sqlite-storage.ts';
import { defaultStoreSettings, type StoreSettings } from './store-settings.ts';

export interface SqliteOptions
  extends Partial<SqliteContext>,
    Partial<StoreSettings>,
    Omit<DatabaseOptions, 'openedBy'> {
  /** Default: a service. */
  readonly openedBy?: DatabaseOptions['openedBy'];
  /** Whether to open a file that cannot be written for reading only. */
  readonly isReadOnly?: boolean;
  /** Called with the path of the copy made before a migration. */
  readonly onCopied?: (copy: string) => void;
  /** Called with a sentence for users if the log of an earlier program may not be on disk. */
  readonly onWarning?: (sentence: string) => void;
}

/** How long a command waits for another one that creates or migrates the database, in ms. */
const commandWaitMs = 5_000;

/**
 * Opens a store in a file, and creates the file if it is missing. Checks first that it is ours, sound, writable and not
 * in use by a service, and changes nothing if it is not. Throws `busy` while a service uses it, else `unavailable` with
 * advice.
 */
export async function openSqlite(options: SqliteOptions): Promise<NoteEngine> {
  const { path, openedBy = 'service', isReadOnly = false, onCopied, onWarning } = options;
  const settings = { ...defaultStoreSettings, now: Date.now, onLost() {}, ...options };
  const opened = await retryWhileDatabaseBusy(openedBy === 'command' ? commandWaitMs : 0, async () => {
    try {
      return (
        (isReadOnly ? openReadOnlyIfNotWritable(path) : undefined) ??
        lockRecoverAndMigrateDatabase({ ...options, openedBy })
      );
    } catch (error) {
      throw toOpenNoteError(error, path);
    }
  });
  if (opened.copy !== undefined) onCopied?.(opened.copy);
  if (opened.warning !== undefined) onWarning?.(opened.warning);
  const location = `sqlite:${path === ':memory:' ? path : opened.path}`;
  return new DatabaseNoteStore(new SqliteStorage(opened, location, settings), settings);
}
