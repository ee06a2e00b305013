import {
  type Config,
  ConfigError,
  type DatabaseAddress,
  type Environment,
  readConfig,
  settings,
} from '../../../config.ts';
import { serviceAt } from '../../../server/address.ts';
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
  const database = configOf(options, ['database'])?.database;
  const listening = configOf(options, ['host', 'port']);
  const pending = [
    [examineVersions(), ...examineSettings(options)],
    database && [examineAddress(database, options)],
    database && examineDatabase(database, options),
    listening && within('port', async () => [await examinePort(listening, await ownAddress(database))]),
    [examineDescriptors()],
  ];
  return (await Promise.all(pending)).flatMap((checks) => checks ?? []);
}

const flagsOf = ({ db }: DoctorOptions) => (db === undefined ? {} : { database: storeUrl(db) });

function examineSettings(options: DoctorOptions): readonly Check[] {
  try {
    readConfig(options.env, flagsOf(options));
    return [ok('settings', 'all are valid')];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mistakes = error.message.split('\n').slice(1);
    return mistakes.map((mistake) => fault('settings', mistake.trim(), 'Correct it; README lists the settings'));
  }
}

/** Like `readConfig`, but reads only these settings. Undefined if one of them is invalid. */
function configOf(options: DoctorOptions, names: readonly (keyof Config)[]): Config | undefined {
  const variables = names.flatMap((name) => [settings[name].variable, `${settings[name].variable}_FILE`]);
  const known = [...variables, 'HOME', 'XDG_DATA_HOME'];
  try {
    const env = Object.fromEntries(known.map((variable) => [variable, options.env[variable]]));
    return readConfig(env, names.includes('database') ? flagsOf(options) : {});
  } catch (error) {
    if (error instanceof ConfigError) return undefined; // reported by examineSettings
    throw error;
  }
}

function examineAddress(database: DatabaseAddress, { env, db }: DoctorOptions): Check {
  const { variable } = settings.database;
  const fromEnvironment = [variable, `${variable}_FILE`].find((name) => env[name]);
  const source = db === undefined ? (fromEnvironment ?? 'by default') : '--db';
  if (database.engine === 'sqlite') return ok('database', `${database.path} (${source})`);
  return ok('database', `${database.database} at ${database.hostname}, port ${database.port} (${source})`);
}

async function examineDatabase(database: DatabaseAddress, options: DoctorOptions): Promise<readonly Check[]> {
  if (database.engine === 'postgres') {
    const { examinePostgres } = await import('./postgres.ts');
    const { databasePrepare = true } = configOf(options, ['databasePrepare']) ?? {};
    return within('server', () => examinePostgres(database, { databasePrepare }));
  }
  if (database.path === ':memory:') return [];
  const { examineFile } = await import('./file.ts');
  const maxMs = options.isFull ? Number.POSITIVE_INFINITY : undefined;
  const { backupDir: folder = 'off', backupKeep } = configOf(options, ['database', 'backupDir', 'backupKeep']) ?? {};
  const backups = { folder, maxBytes: backupKeep?.maxBytes ?? Number.POSITIVE_INFINITY };
  return within('file', () => examineFile(database.path, { isFull: options.isFull, backups }), maxMs);
}

/** Address of the service that holds the notes, if it left one. */
const ownAddress = async (database: DatabaseAddress | undefined): Promise<string | undefined> =>
  database?.engine === 'sqlite' ? (await serviceAt(database.path))?.url : undefined;
