import type { NoteEngine } from '../../domain/store.ts';
import { engineDefaults } from '../queued-engine.ts';
import type { DatabaseOptions } from './file/database.ts';
import { SqliteStore, type StoreContext } from './store.ts';
import { WriterClient } from './writer/writer-client.ts';

export interface SqliteOptions extends Partial<StoreContext>, Partial<DatabaseOptions> {
  readonly path: string;
  /** Called with the path of the copy made before a migration. */
  readonly onCopied?: (copy: string) => void;
  /** Whether to write on a separate thread, as a service needs: the default. */
  readonly onThread?: boolean;
}

/**
 * Opens the store after checking that the file is ours, sound, writable and not in use. Throws `busy` while another
 * program holds it, else `unavailable` with advice. A refused file is not changed.
 */
export async function openSqlite(options: SqliteOptions): Promise<NoteEngine> {
  const { path: given, isChecked = true, mustExist = false, steps, onCopied, onThread = true } = options;
  const context = { ...engineDefaults, now: Date.now, onLost() {}, ...options };
  const writer = new WriterClient(onThread);
  try {
    const database = { path: given, isChecked, mustExist, ...(steps && { steps }) };
    const { path, copy } = await writer.ask('open', [database, context.maxVersions]);
    if (copy !== undefined) onCopied?.(copy);
    return new SqliteStore(writer, path, `sqlite:${given === ':memory:' ? given : path}`, context);
  } catch (error) {
    writer[Symbol.dispose]();
    throw error;
  }
}
