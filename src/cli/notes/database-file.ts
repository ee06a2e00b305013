import { ConfigError, readConfig, storeEnvironment } from '../../config.ts';
import type { Io } from '../io.ts';
import { type StoreOptions, storeUrl } from './store-options.ts';

/** What to do instead, where the notes are not in a file of this machine. */
export interface Elsewhere {
  /** For the notes of a service at an address. */
  readonly service: string;
  /** For notes in PostgreSQL at a location, which holds no password. */
  readonly postgres: (location: string) => string;
}

/** The database file that the flags, or else the environment, name. Throws `ConfigError` where it is none. */
export function databaseFile({ env }: Pick<Io, 'env'>, { url, db }: StoreOptions, elsewhere: Elsewhere): string {
  if (url !== undefined || (db === undefined && env['NOTES_URL'])) throw new ConfigError(elsewhere.service);
  const { database } = readConfig(storeEnvironment(env), db === undefined ? {} : { database: storeUrl(db) });
  if (database.engine === 'postgres') {
    const { hostname, port, database: name } = database;
    throw new ConfigError(
      elsewhere.postgres(`--host=${hostname} --port=${port} --username=${database.username} ${name}`),
    );
  }
  if (database.path === ':memory:') throw new ConfigError('sqlite::memory: holds no notes. Name a file with --db');
  return database.path;
}
