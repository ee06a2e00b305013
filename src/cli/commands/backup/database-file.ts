import { ConfigError } from '../../../config.ts';
import type { Io } from '../../io.ts';
import { type StoreOptions, serviceIn, storeConfig } from '../../notes/store-options.ts';

/** Error messages for notes that are not in a local file. */
export interface Elsewhere {
  /** For the notes of a service. */
  readonly service: string;
  /** For notes in PostgreSQL. The location contains no password. */
  readonly postgres: (location: string) => string;
}

/** Returns the path of the database file named by flags or environment. Throws `ConfigError` if they name none. */
export function databaseFile({ env }: Pick<Io, 'env'>, options: StoreOptions, elsewhere: Elsewhere): string {
  if (serviceIn(env, options) !== undefined) throw new ConfigError(elsewhere.service);
  const { database } = storeConfig(env, options.db);
  if (database.engine === 'postgres') {
    const { hostname, port, database: name } = database;
    throw new ConfigError(
      elsewhere.postgres(`--host=${hostname} --port=${port} --username=${database.username} ${name}`),
    );
  }
  if (database.path === ':memory:') throw new ConfigError('sqlite::memory: holds no notes. Name a file with --db');
  return database.path;
}
