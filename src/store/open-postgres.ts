import type { NoteEngine } from '../core/store.ts';
import { DatabaseNoteStore } from './database-note-store.ts';
import { formatPlacementIfCitus } from './postgres/citus-placement.ts';
import {
  defaultLimits,
  formatLocation,
  openPostgresDatabase,
  type PostgresOptions,
} from './postgres/open-postgres-database.ts';
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
  const database = await openPostgresDatabase(options);
  const description = formatPlacementIfCitus(database.placement);
  if (description !== undefined) options.onPlacement?.(description);
  return new DatabaseNoteStore(new PostgresStorage(database, formatLocation(options.address), settings), settings);
}
