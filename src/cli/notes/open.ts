import { existsSync } from 'node:fs';
import { ConfigError, readConfig, storeEnvironment } from '../../config.ts';
import { NoteError } from '../../domain/error.ts';
import type { PortableStore } from '../../domain/store.ts';
import { openOrFindService } from '../../server/open-exclusive.ts';
import type { Io } from '../io.ts';
import { type StoreOptions, storeUrl } from './store-options.ts';

/**
 * Opens the notes that the flags, or else the environment, name: through a service when its address is given or when it holds
 * the file, else the store itself. A file that is not there is not made: the default one counts as empty. Throws `ConfigError`;
 * `NoteError` when they cannot be used.
 */
export const openNotes = (io: Surroundings, options: StoreOptions): Promise<PortableStore> => open(io, options, false);

/** As `openNotes`, for what adds notes: a file that is not there is made. */
export const openOrCreateNotes = (io: Surroundings, options: StoreOptions): Promise<PortableStore> =>
  open(io, options, true);

type Surroundings = Pick<Io, 'env' | 'stderr'>;

async function open(io: Surroundings, options: StoreOptions, creates: boolean): Promise<PortableStore> {
  if (options.url !== undefined && options.db !== undefined) throw new ConfigError('--url and --db exclude each other');
  const url = options.url ?? (options.db === undefined ? io.env['NOTES_URL'] || undefined : undefined);
  if (url !== undefined) return openService(url);
  const config = readConfig(
    storeEnvironment(io.env),
    options.db === undefined ? {} : { database: storeUrl(options.db) },
  );
  const { database, historyVersions: maxVersions } = config;
  if (database.engine === 'postgres') {
    const { openPostgres } = await import('../../store/postgres/open.ts');
    const { postgresOptions } = await import('../../server/open-store.ts');
    const warn = (sentence: string) => void io.stderr.write(`notes: ${sentence}\n`);
    return openPostgres({ ...postgresOptions(database, config, warn), poolSize: 2, cacheBytes: 0, maxVersions });
  }
  if (database.path === ':memory:') throw new ConfigError('sqlite::memory: holds no notes. Name a file with --db');
  const wasThere = existsSync(database.path) || existsSync(`${database.path}.lock`);
  if (creates || wasThere) return openFile(database.path, maxVersions);
  if (options.db === undefined) return openFile(':memory:', maxVersions);
  throw new NoteError('unavailable', `There is no file ${database.path}. "notes add" or "notes import" makes one`);
}

async function openService(url: string): Promise<PortableStore> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ConfigError(`The address of a service must begin with http:// or https://, not "${url}"`);
  }
  const { createPortableClient } = await import('../../client/portable.ts');
  return createPortableClient(url);
}

/** Directly, or through the service that holds the file; `:memory:` is empty. */
async function openFile(path: string, maxVersions: number): Promise<PortableStore> {
  const { openSqlite } = await import('../../store/sqlite/open.ts');
  if (path === ':memory:') return openSqlite({ path });
  const opened = await openOrFindService(path, () =>
    openSqlite({ path, isChecked: false, onThread: false, maxVersions }),
  );
  return 'store' in opened ? opened.store : openService(opened.url);
}
