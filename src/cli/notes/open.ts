import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, ConfigError } from '../../config.ts';
import { NoteError } from '../../core/error.ts';
import type { PortableStore } from '../../core/store.ts';
import type { Io } from '../io.ts';
import { serviceToken } from './service-token.ts';
import { checkedUrl, type StoreOptions, serviceIn, storeConfig } from './store-options.ts';

/**
 * Opens the notes named by flags or environment: through a service if its address is given, else the store itself, also
 * beside a service that uses it. Does not create a missing file; the default file then counts as empty. A file that
 * cannot be written can be read. Throws `ConfigError`, or `NoteError` if the notes are not usable.
 */
export const openNotes = (io: Surroundings, options: StoreOptions): Promise<PortableStore> =>
  open(io, options, options.db === undefined ? 'empty' : 'error');

/** Like `openNotes`, but creates a missing file. */
export const openOrCreateNotes = (io: Surroundings, options: StoreOptions): Promise<PortableStore> =>
  open(io, options, 'create');

/** Like `openOrCreateNotes`, but a missing file only counts as empty. */
export const openForDryRun = (io: Surroundings, options: StoreOptions): Promise<PortableStore> =>
  open(io, options, 'empty');

type Surroundings = Pick<Io, 'env' | 'stderr'>;

/** Identifies the notes named by flags or environment by a stable text without passwords. */
export function storeNameOf(io: Pick<Io, 'env'>, options: StoreOptions): string {
  const named = namedBy(io, options);
  if ('url' in named) return locationOf(checkedUrl(named.url));
  const { database } = named.config;
  if (database.engine === 'sqlite') return resolve(database.path);
  return `postgres://${database.hostname}:${database.port}/${database.database}`;
}

/** Returns the address of a service or the settings of a store. Throws `ConfigError`. */
function namedBy({ env }: Pick<Io, 'env'>, options: StoreOptions): { url: string } | { config: Config } {
  const { url: given, db } = options;
  if (given !== undefined && db !== undefined) throw new ConfigError('--url and --db exclude each other');
  const url = serviceIn(env, options);
  return url === undefined ? { config: storeConfig(env, db) } : { url };
}

type IfMissing = 'create' | 'empty' | 'error';

async function open(io: Surroundings, options: StoreOptions, ifMissing: IfMissing): Promise<PortableStore> {
  const named = namedBy(io, options);
  if ('url' in named) return openService(named.url, serviceToken(io.env));
  const { config } = named;
  const { database, historyVersions: maxVersions } = config;
  if (database.engine === 'postgres') {
    const { openPostgres } = await import('../../store/postgres/open.ts');
    const { postgresOptions } = await import('../../service/open-store.ts');
    const warn = (sentence: string) => void io.stderr.write(`notes: ${sentence}\n`);
    const options = postgresOptions(database, config, warn);
    return openPostgres({ ...options, poolSize: 2, cacheBytes: 0, maxVersions });
  }
  if (database.path === ':memory:') throw new ConfigError('sqlite::memory: holds no notes. Name a file with --db');
  const { openSqlite } = await import('../../store/sqlite/open.ts');
  const path = ifMissing === 'empty' && isMissing(database.path) ? ':memory:' : database.path;
  if (ifMissing !== 'error' || !isMissing(path))
    return openSqlite({ path, user: 'command', isReadOnly: ifMissing !== 'create', maxVersions });
  throw new NoteError('unavailable', `There is no file ${database.path}. "notes add" or "notes import" creates one`);
}

/** False if its folder cannot be read: only opening the file then tells why. */
function isMissing(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function locationOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

async function openService(url: string, token: string | undefined): Promise<PortableStore> {
  const { createPortableClient } = await import('../../client/portable.ts');
  return createPortableClient(checkedUrl(url), { token });
}
