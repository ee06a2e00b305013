import type { Command } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import type { PortableStore } from '../domain/store.ts';
import type { Io } from './io.ts';
import { whenFree } from './when-free.ts';

/** Which notes a command works on, as its flags say. */
export interface Place {
  /** The address of a running service. */
  readonly url?: string;
  /** A store: a file, or what `DATABASE_URL` may be. */
  readonly db?: string;
}

/** Gives a command the flags that say which notes it works on. */
export const withPlace = (command: Command): Command =>
  command
    .option('--url <url>', 'work through the service at this address (NOTES_URL)')
    .option('--db <store>', 'work on this store: a file, or what DATABASE_URL may be (DATABASE_URL)');

/**
 * Opens the notes that the flags, or else the environment, name: through a service when its address is given or when it holds
 * the file, else the store itself. Throws `ConfigError`; `NoteError` when they cannot be used.
 */
export async function openNotes(io: Pick<Io, 'env' | 'stderr'>, place: Place): Promise<PortableStore> {
  if (place.url !== undefined && place.db !== undefined) throw new ConfigError('--url and --db exclude each other');
  const url = place.url ?? (place.db === undefined ? io.env['NOTES_URL'] || undefined : undefined);
  if (url !== undefined) return openService(url);
  const config = readConfig(io.env, place.db === undefined ? {} : { database: storeUrl(place.db) });
  const { database } = config;
  if (database.engine === 'postgres') {
    const { openPostgres } = await import('../store/postgres/open.ts');
    const { postgresOptions } = await import('./open-store.ts');
    const warn = (sentence: string) => void io.stderr.write(`notes: ${sentence}\n`);
    return openPostgres({ ...postgresOptions(database, config, warn), poolSize: 2, cacheBytes: 0 });
  }
  if (database.path === ':memory:') throw new ConfigError('sqlite::memory: holds no notes. Name a file with --db');
  return openFile(database.path);
}

/** A path stands for a file. */
export const storeUrl = (db: string): string => (/^(sqlite|postgres(ql)?):/.test(db) ? db : `sqlite:${db}`);

async function openService(url: string): Promise<PortableStore> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ConfigError(`The address of a service must begin with http:// or https://, not "${url}"`);
  }
  const { createPortableClient } = await import('../client/portable.ts');
  return createPortableClient(url);
}

/** Directly, or through the service that holds the file. */
async function openFile(path: string): Promise<PortableStore> {
  const { openSqlite } = await import('../store/sqlite/open.ts');
  const freed = await whenFree(path, () => openSqlite({ path, isBrief: true }));
  return 'store' in freed ? freed.store : openService(freed.url);
}
