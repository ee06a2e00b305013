import type { NoteEngine } from '../../domain/store.ts';
import { engineDefaults } from '../queued-engine.ts';
import type { DatabaseOptions } from './file/database.ts';
import { SqliteStore, type StoreContext } from './store.ts';

export type SqliteOptions = Partial<StoreContext> & Pick<DatabaseOptions, 'path'> & Partial<DatabaseOptions>;

/**
 * Opens the store after checking that the file is ours, sound, writable and not in use. Throws `busy` while another
 * program holds it, else `unavailable` with advice. A refused file is not changed.
 */
export function openSqlite(options: SqliteOptions): Promise<NoteEngine> {
  const { path, isChecked = true, mustExist = false, steps, ...context } = options;
  return SqliteStore.open({ path, isChecked, mustExist, ...(steps && { steps }) }, { ...defaults, ...context });
}

const defaults: StoreContext = {
  ...engineDefaults,
  now: Date.now,
  onLost() {},
  onCopied() {},
  onThread: true,
};
