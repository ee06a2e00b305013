import type { NoteEngine } from '../core/store.ts';
import { DatabaseNoteStore } from './note-store.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { type DatabaseOptions, openAndMigrateDatabase, openUnlessWritable } from './sqlite/open-database.ts';
import { toOpenError } from './sqlite/open-error.ts';
import { type SqliteContext, SqliteStorage } from './sqlite/sqlite-storage.ts';
import { defaultStoreSettings, type StoreSettings } from './store-settings.ts';

export interface SqliteOptions extends Partial<SqliteContext>, Partial<StoreSettings>, Omit<DatabaseOptions, 'user'> {
  /** Default: a service. */
  readonly user?: DatabaseOptions['user'];
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
 * Opens a store in a file, and creates the file if it is missing. Checks first that it is ours, sound, writable and not in
 * use by a service, and changes nothing if it is not. Throws `busy` while a service uses it, else `unavailable` with advice.
 */
export async function openSqlite(options: SqliteOptions): Promise<NoteEngine> {
  const { path, user = 'service', isReadOnly = false, onCopied, onWarning } = options;
  const settings = { ...defaultStoreSettings, now: Date.now, onLost() {}, ...options };
  const opened = await retryWhileBusy(user === 'command' ? commandWaitMs : 0, async () => {
    try {
      return (isReadOnly ? openUnlessWritable(path) : undefined) ?? openAndMigrateDatabase({ ...options, user });
    } catch (error) {
      throw toOpenError(error, path);
    }
  });
  if (opened.copy !== undefined) onCopied?.(opened.copy);
  if (opened.warning !== undefined) onWarning?.(opened.warning);
  const location = `sqlite:${path === ':memory:' ? path : opened.path}`;
  return new DatabaseNoteStore(new SqliteStorage(opened, location, settings), settings);
}
