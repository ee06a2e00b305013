import { type Config, type DatabaseAddress, type Environment, readSettings, settings } from '../../../config.ts';
import { isLocked } from '../../../store/sqlite/lock.ts';
import { storeUrl } from '../../notes/store-options.ts';
import { type Check, fault, ok, within } from './check.ts';
import { examineDescriptors, examinePort, examineVersions } from './machine.ts';

interface DoctorOptions {
  readonly env: Environment;
  /** The store named by the flag. */
  readonly db: string | undefined;
  /** Whether to check the whole database, however long that takes. */
  readonly isFull: boolean;
}

/** Checks everything a service needs, within about 5 s unless `isFull`. */
export async function examine(options: DoctorOptions): Promise<readonly Check[]> {
  const { env, db } = options;
  const { config, mistakes } = readSettings(env, db === undefined ? {} : { database: storeUrl(db) });
  const { database, host, port } = config;
  const faults = mistakes.map((mistake) => fault('settings', mistake, 'Correct it; README lists the settings'));
  const pending = [
    [examineVersions(), ...(faults.length > 0 ? faults : [ok('settings', 'all are valid')])],
    database && [examineAddress(database, options)],
    database && examineDatabase(database, config, options),
    host !== undefined &&
      port !== undefined &&
      within('port', async () => [await examinePort({ host, port }, isInUse(database))]),
    [examineDescriptors()],
  ];
  return (await Promise.all(pending)).flatMap((checks) => checks || []);
}

function examineAddress(database: DatabaseAddress, { env, db }: DoctorOptions): Check {
  const { variable } = settings.database;
  const fromEnvironment = [variable, `${variable}_FILE`].find((name) => env[name]);
  const source = db === undefined ? (fromEnvironment ?? 'by default') : '--db';
  if (database.engine === 'sqlite') return ok('database', `${database.path} (${source})`);
  return ok('database', `${database.database} at ${database.hostname}, port ${database.port} (${source})`);
}

async function examineDatabase(
  database: DatabaseAddress,
  { databasePrepare = true, backupDir: folder = 'off', backupKeep }: Partial<Config>,
  { isFull }: DoctorOptions,
): Promise<readonly Check[]> {
  if (database.engine === 'postgres') {
    const { examinePostgres } = await import('./postgres.ts');
    return within('server', () => examinePostgres(database, { databasePrepare }));
  }
  if (database.path === ':memory:') return [];
  const { examineFile } = await import('./file.ts');
  const maxMs = isFull ? Number.POSITIVE_INFINITY : undefined;
  const backups = { folder, maxBytes: backupKeep?.maxBytes ?? Number.POSITIVE_INFINITY };
  return within('file', () => examineFile(database.path, { isFull, backups }), maxMs);
}

/** Whether a service uses the notes: then it may listen at the port. */
const isInUse = (database: DatabaseAddress | undefined): boolean =>
  database?.engine === 'sqlite' && isLocked(database.path);
