import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { type PostgresAddress, parsePostgresAddress } from './shared/postgres-address.ts';
import { parseAccessTokens } from './shared/settings/access-tokens.ts';
import { parseBackupKeep } from './shared/settings/backup-keep.ts';
import { integer, isHostName, isNetwork, isOrigin, listOf, matching, oneOf } from './shared/settings/values.ts';
import { messageOf } from './shared/thrown.ts';

const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** What programs that speak MCP may do at `/mcp`. */
const mcpModes = ['off', 'read', 'write'] as const;
/** What becomes there of notes that seem to hold secrets. */
const mcpSecrets = ['withhold', 'allow'] as const;

/** Where the notes are kept; `path` is a file, or `:memory:`. */
export type DatabaseAddress =
  | { readonly engine: 'sqlite'; readonly path: string }
  | ({ readonly engine: 'postgres' } & PostgresAddress);

/** One setting: its variable in the environment, its flag unless others must not see it, and what they take. */
export interface Setting {
  readonly variable: string;
  readonly flag: string | undefined;
  readonly help: string;
  /** As it would be written; a function where it depends on the environment. */
  readonly fallback: string | ((env: Environment) => string);
  /** Throws an error whose message completes the sentence "`variable` must be …". */
  readonly parse: (text: string) => unknown;
  /** May be read from the file that `<variable>_FILE` names. */
  readonly isSecret?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Every setting of the service; flags, help and checks are made from this table. */
export const settings = {
  host: {
    variable: 'HOST',
    flag: '--host <address>',
    help: 'address to listen at; 0.0.0.0 or :: for all',
    fallback: '127.0.0.1',
    parse: (text) => matching(text, /^[\w.:-]+$/, 'an IP address or a host name'),
  },
  port: {
    variable: 'PORT',
    flag: '--port <number>',
    help: 'port to listen at; 0 picks a free one',
    fallback: '3000',
    parse: (text) => integer(text, 0, 65_535),
  },
  database: {
    variable: 'DATABASE_URL',
    flag: '--db <store>',
    help: 'a file, sqlite:<file>, sqlite::memory: to keep nothing, or postgres://<user>:<password>@<host>:<port>/<database>',
    fallback: defaultDatabase,
    parse: databaseAddress,
    isSecret: true,
  },
  databasePoolSize: {
    variable: 'DATABASE_POOL_SIZE',
    flag: '--database-pool-size <number>',
    help: 'most connections to PostgreSQL',
    fallback: '10',
    parse: (text) => integer(text, 2, 1_000),
  },
  databaseTimeoutMs: {
    variable: 'DATABASE_TIMEOUT_MS',
    flag: '--database-timeout-ms <number>',
    help: 'longest time for PostgreSQL to answer a request, in ms',
    fallback: '10000',
    parse: (text) => integer(text, 100, 600_000),
  },
  databaseWaitMs: {
    variable: 'DATABASE_WAIT_MS',
    flag: '--database-wait-ms <number>',
    help: 'how long the start waits for PostgreSQL to be there, in ms',
    fallback: '30000',
    parse: (text) => integer(text, 0, 3_600_000),
  },
  databasePrepare: {
    variable: 'DATABASE_PREPARE',
    flag: '--database-prepare <boolean>',
    help: 'false behind a proxy that pools transactions, as PgBouncer does: no prepared statements',
    fallback: 'true',
    parse: (text) => oneOf(text, ['true', 'false']) === 'true',
  },
  historyVersions: {
    variable: 'HISTORY_VERSIONS',
    flag: '--history-versions <number>',
    help: 'how many earlier versions of a note are kept; 0 keeps no more of them',
    fallback: '100',
    parse: (text) => integer(text, 0, 10_000),
  },
  backupDir: {
    variable: 'BACKUP_DIR',
    flag: '--backup-dir <folder>',
    help: 'where the service makes a backup a day of a SQLite file; off for none',
    fallback: defaultBackupDir,
    parse: (text) => matching(text, /^[^~]/, 'a folder (without ~) or off'),
  },
  backupKeep: {
    variable: 'BACKUP_KEEP',
    flag: '--backup-keep <list>',
    help: 'how many daily and weekly backups stay, and the most space for all of them',
    fallback: '7,4,2GiB',
    parse: parseBackupKeep,
  },
  maxBodyBytes: {
    variable: 'MAX_BODY_BYTES',
    flag: '--max-body-bytes <number>',
    help: 'largest request body, in bytes',
    fallback: String(8 * 1024 * 1024),
    parse: (text) => integer(text, 1, 256 * 1024 * 1024),
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    flag: '--cors-origins <list>',
    help: 'origins of foreign web pages that may use the service, separated by commas; * for any',
    fallback: '',
    parse: (text) => listOf(text, isOrigin, 'origins like https://example.org, separated by commas, or *'),
  },
  allowedHosts: {
    variable: 'ALLOWED_HOSTS',
    flag: '--allowed-hosts <list>',
    help: 'host names that the service answers to besides IP addresses, localhost and the name of the machine, separated by commas; * for any',
    fallback: '',
    parse: (text) => listOf(text.toLowerCase(), isHostName, 'host names without a port, separated by commas, or *'),
  },
  accessTokens: {
    variable: 'ACCESS_TOKEN',
    flag: undefined, // the list of processes shows flags to everybody
    help: 'token that every request must bring; ACCESS_TOKEN_FILE may hold several, in lines like "<name> full|read <token>"',
    fallback: 'off',
    parse: parseAccessTokens,
    isSecret: true,
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    flag: '--trusted-proxies <list>',
    help: 'addresses or networks of proxies whose X-Forwarded-For names the client, separated by commas; off for none',
    fallback: '127.0.0.0/8,::1',
    parse: (text) => (text === 'off' ? [] : listOf(text, isNetwork, 'addresses or networks like 10.0.0.0/8, or off')),
  },
  mcp: {
    variable: 'MCP',
    flag: '--mcp <mode>',
    help: `one of ${mcpModes.join(', ')}: what programs that speak MCP may do at /mcp`,
    fallback: 'off',
    parse: (text) => oneOf(text, mcpModes),
  },
  mcpSecrets: {
    variable: 'MCP_SECRETS',
    flag: '--mcp-secrets <what>',
    help: `one of ${mcpSecrets.join(', ')}: what becomes at /mcp of notes that seem to hold keys or passwords`,
    fallback: 'withhold',
    parse: (text) => oneOf(text, mcpSecrets),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    flag: '--log-level <level>',
    help: `one of ${logLevels.join(', ')}; debug shows every request`,
    fallback: 'info',
    parse: (text) => oneOf(text, logLevels),
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** What the settings say, by their names. */
export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']> };

/** The settings are wrong. The message names every mistake, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The part of an environment that says where the notes are: what else is wrong in it is no matter of commands on notes. */
export const storeEnvironment = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(DATABASE_|HISTORY_VERSIONS$|HOME$|XDG_DATA_HOME$)/.test(name)),
  );

/** The settings in effect: a flag wins over the environment, the environment over the default. Throws `ConfigError`. */
export function readConfig(env: Environment, flags: Partial<Record<keyof Config, string>> = {}): Config {
  const mistakes: string[] = [];
  const given: Readonly<Record<string, string | undefined>> = flags;
  const chosen = flags.database === undefined ? {} : { DATABASE_URL: flags.database, DATABASE_URL_FILE: undefined };
  const read = (setting: Setting, flag: string | undefined): unknown => {
    const { source, text, mistake } = sourceOf(setting, flag, { env, fallbackEnv: { ...env, ...chosen } });
    try {
      if (mistake === undefined) return setting.parse(text.trim());
      mistakes.push(mistake);
    } catch (error) {
      const rule = messageOf(error);
      const shown = setting.isSecret ? '' : `, not ${JSON.stringify(text)}`; // any part of it may be the password
      mistakes.push(`${source} must be ${rule}${shown}`);
    }
    return undefined;
  };
  const values = Object.entries(settings).map(([name, setting]) => [name, read(setting, given[name])]);
  const config: object = Object.fromEntries(values);
  if (isComplete(config)) mistakes.push(...contradictionsIn(config));
  if (isComplete(config) && mistakes.length === 0) return Object.freeze(config);
  throw new ConfigError(`Wrong settings:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);
}

/** A sentence for each pair of settings that do not go together. */
function contradictionsIn({ database, backupDir }: Config): readonly string[] {
  if (backupDir === 'off') return [];
  const mustBeOff = `${settings.backupDir.variable} must be off with`;
  if (database.engine === 'postgres') return [`${mustBeOff} PostgreSQL, whose backups are made by pg_dump`];
  return database.path === ':memory:' ? [`${mustBeOff} sqlite::memory:, which keeps nothing`] : [];
}

/** What a setting is, and where it stands: a flag, the environment, a file that the environment names, the default. */
interface Source {
  readonly source: string;
  readonly text: string;
  readonly mistake?: string;
}

/** What a default depends on holds the flags that it depends on, too. */
interface Environments {
  readonly env: Environment;
  readonly fallbackEnv: Environment;
}

function sourceOf(setting: Setting, flag: string | undefined, { env, fallbackEnv }: Environments): Source {
  const { variable, fallback, isSecret } = setting;
  if (flag !== undefined) return { source: setting.flag?.split(' ', 1)[0] ?? '', text: flag };
  const given = env[variable];
  const file = isSecret ? env[`${variable}_FILE`] : undefined;
  if (file) {
    const source = `${variable}_FILE`;
    if (given) return { source, text: '', mistake: `${variable} and ${source} must not both be set` };
    const text = textIn(file);
    if (text === undefined)
      return { source, text: '', mistake: `${source} must be a file that can be read, not "${file}"` };
    return { source: `The text in ${source}`, text };
  }
  return { source: variable, text: given || (typeof fallback === 'string' ? fallback : fallback(fallbackEnv)) };
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether each setting has a value: the table has one for each. */
const isComplete = (config: object): config is Config => Object.values(config).every((value) => value !== undefined);

/** In the folder for a person's data, after the XDG base directory specification; empty where nothing names such a folder. */
function defaultDatabase(env: Environment): string {
  const given = env['XDG_DATA_HOME'] ?? '';
  if (isAbsolute(given)) return `sqlite:${join(given, 'notes', 'notes.db')}`; // a relative path there is ignored
  const home = env['HOME'] || homeOfUser();
  return home === '' ? '' : `sqlite:${join(home, '.local', 'share', 'notes', 'notes.db')}`;
}

/** `backups` beside the default database, if that is the one that is used. */
function defaultBackupDir(env: Environment): string {
  const usual = defaultDatabase(env);
  const isUsual = !env['DATABASE_URL_FILE'] && usual !== '' && (env['DATABASE_URL']?.trim() || usual) === usual;
  return isUsual ? join(dirname(usual.slice('sqlite:'.length)), 'backups') : 'off';
}

/** Empty where the system knows nothing of the user, as in a container that runs with any number. */
function homeOfUser(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

function databaseAddress(text: string): DatabaseAddress {
  if (/^postgres(ql)?:\/\//.test(text)) return { engine: 'postgres', ...parsePostgresAddress(text) };
  const path = /^sqlite:(?:\/\/(?=\/)|(?!\/\/))(.+)$/s.exec(text)?.[1];
  if (path !== undefined && !path.startsWith('~')) return { engine: 'sqlite', path };
  throw new Error(
    'sqlite:<file> (without ~), sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<database>',
  );
}
