import { ConfigError } from '../../config.ts';
import type { Io } from '../io.ts';
import { type StoreOptions, serviceIn, storeConfig } from './store-options.ts';

/** What to do instead, where the notes are not in a file of this machine. */
export interface Elsewhere {
  /** For the notes of a service at an address. */
  readonly service: string;
  /** For notes in PostgreSQL at a location, which holds no password. */
  readonly postgres: (location: string) => string;
}

/** The database file that the flags, or else the environment, name. Throws `ConfigError` where it is none. */
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
