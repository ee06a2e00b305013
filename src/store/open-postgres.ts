import type { NoteEngine } from '../core/store.ts';
import { DatabaseNoteStore } from './note-store.ts';
import { defaultLimits, formatLocation, openDatabase, type PostgresOptions } from './postgres/connect.ts';
import { placementInWords } from './postgres/placement.ts';
import { type PostgresContext, PostgresStorage } from './postgres/postgres-storage.ts';
import { defaultStoreSettings, type StoreSettings } from './store-settings.ts';

export interface PostgresStoreOptions
  extends PostgresOptions,
    Partial<StoreSettings>,
    Partial<Pick<PostgresContext, 'now'>> {
  /** Called with a description of where Citus has placed the notes. */
  readonly onPlacement?: (description: string) => void;
}

/**
 * Opens the store after checking that the database is reachable, durable and has our schema, which is created or
 * migrated. Throws `unavailable` with advice. Errors never contain the password.
 */
export async function openPostgres(options: PostgresStoreOptions): Promise<NoteEngine> {
  const settings = { ...defaultLimits, ...defaultStoreSettings, now: undefined, ...options };
  const database = await openDatabase(options);
  const description = placementInWords(database.placement);
  if (description !== undefined) options.onPlacement?.(description);
  return new DatabaseNoteStore(new PostgresStorage(database, formatLocation(options.address), settings), settings);
}
