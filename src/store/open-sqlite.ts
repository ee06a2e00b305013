import type { NoteEngine } from '../core/store.ts';
import { DatabaseNoteStore } from './note-store.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { type DatabaseOptions, openDatabase, openReadOnly, refusal } from './sqlite/open-database.ts';
import { type SqliteContext, SqliteStorage } from './sqlite/sqlite-storage.ts';
import { defaultStoreSettings, type StoreSettings } from './store-settings.ts';

export interface SqliteOptions extends Partial<SqliteContext>, Partial<StoreSettings>, Omit<DatabaseOptions, 'user'> {
  /** Default: a service. */
  readonly user?: DatabaseOptions['user'];
  /** Whether to open a file that cannot be written for reading only. */
  readonly isReadOnly?: boolean;
  /** Called with the path of the copy made before a migration. */
  readonly onCopied?: (copy: string) => void;
  /** Called with a sentence for users if the log that an earlier program left is not as it should be. */
  readonly onWarning?: (sentence: string) => void;
}

/** How long a command waits for another one that creates or migrates the database, in ms. */
const waitMs = 5_000;

/**
 * Opens the store after checking that the file is ours, sound, writable and not in use by a service. Throws `busy`
 * while one holds it, else `unavailable` with advice. A refused file is not changed.
 */
export async function openSqlite(options: SqliteOptions): Promise<NoteEngine> {
  const { path: given, user = 'service', isReadOnly = false, onCopied, onWarning } = options;
  const settings = { ...defaultStoreSettings, now: Date.now, onLost() {}, ...options };
  const opened = await retryWhileBusy(user === 'command' ? waitMs : 0, async () => {
    try {
      return (isReadOnly ? openReadOnly(given) : undefined) ?? openDatabase({ ...options, user });
    } catch (error) {
      throw refusal(error, given);
    }
  });
  if (opened.copy !== undefined) onCopied?.(opened.copy);
  if (opened.warning !== undefined) onWarning?.(opened.warning);
  const location = `sqlite:${given === ':memory:' ? given : opened.path}`;
  return new DatabaseNoteStore(new SqliteStorage(opened, location, settings), settings);
}
