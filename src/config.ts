import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { type PostgresAddress, parsePostgresAddress } from './core/postgres-address.ts';
import {
  type AccessToken,
  isHostName,
  isNetwork,
  isOrigin,
  matchSettingText,
  parseAccessTokens,
  parseBackupRetention,
  parseChoice,
  parseInteger,
  parseListSetting,
} from './core/setting-values.ts';
import { getErrorMessage } from './core/thrown-errors.ts';
import { readSecretFile } from './secret-file.ts';

const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** What MCP clients may do at `/mcp`. */
const mcpModes = ['off', 'read', 'write'] as const;
/** How `/mcp` treats notes that seem to contain secrets. */
const mcpSecrets = ['withhold', 'allow'] as const;

/** Location of the notes; `path` is a file or `:memory:`. */
export type DatabaseAddress =
  | { readonly engine: 'sqlite'; readonly path: string }
  | ({ readonly engine: 'postgres' } & PostgresAddress);

/** A setting. It has no flag if other users must not see its value. */
export interface Setting<Value = unknown> {
  readonly variable: string;
  readonly flag: string | undefined;
  readonly help: string;
  /** Default as text; a function if it depends on the environment. */
  readonly fallback: string | ((env: Environment) => string);
  /** Throws an error whose message completes the sentence "`variable` must be …". */
  readonly parse: (text: string) => Value;
  /** Whether it can also be read from the file named by `<variable>_FILE`. */
  readonly isSecret?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** All settings of the service, the source of flags, help and checks. */
export const settings = {
  host: {
    variable: 'HOST',
    flag: '--host <address>',
    help: 'address to listen on; 0.0.0.0 or :: for all',
    fallback: '127.0.0.1',
    parse: (text) => matchSettingText(text, /^[\w.:-]+$/, 'an IP address or a host name'),
  },
  port: {
    variable: 'PORT',
    flag: '--port <number>',
    help: 'port to listen on; 0 picks a free one',
    fallback: '3000',
    parse: (text) => parseInteger(text, 0, 65_535),
  },
  database: {
    variable: 'DATABASE_URL',
    flag: '--db <store>',
    help: 'a file, sqlite:<file>, sqlite::memory: to keep nothing, or postgres://<user>:<password>@<host>/<database>',
    fallback: getDefaultDatabaseUrl,
    parse: parseDatabaseAddress,
    isSecret: true,
  },
  databasePoolSize: {
    variable: 'DATABASE_POOL_SIZE',
    flag: '--database-pool-size <number>',
    help: 'largest number of connections to PostgreSQL',
    fallback: '10',
    parse: (text) => parseInteger(text, 2, 1_000),
  },
  databaseTimeoutMs: {
    variable: 'DATABASE_TIMEOUT_MS',
    flag: '--database-timeout-ms <number>',
    help: 'longest time for PostgreSQL to answer a request, in ms',
    fallback: '10000',
    parse: (text) => parseInteger(text, 100, 600_000),
  },
  historyVersions: {
    variable: 'HISTORY_VERSIONS',
    flag: '--history-versions <number>',
    help: 'how many earlier versions to keep of each note; 0 keeps no new ones',
    fallback: '100',
    parse: (text) => parseInteger(text, 0, 10_000),
  },
  backupDir: {
    variable: 'BACKUP_DIR',
    flag: '--backup-dir <folder>',
    help: 'folder for the daily backups of a SQLite file; off for none',
    fallback: getDefaultBackupDir,
    parse: (text) => matchSettingText(text, /^[^~]/, 'a folder (without ~) or off'),
  },
  backupKeep: {
    variable: 'BACKUP_KEEP',
    flag: '--backup-keep <list>',
    help: 'how many daily and weekly backups to keep, and the largest size of all of them',
    fallback: '7,4,2GiB',
    parse: parseBackupRetention,
  },
  maxBodyBytes: {
    variable: 'MAX_BODY_BYTES',
    flag: '--max-body-bytes <number>',
    help: 'largest request body, in bytes',
    fallback: String(8 * 1024 * 1024),
    parse: (text) => parseInteger(text, 1, 256 * 1024 * 1024),
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    flag: '--cors-origins <list>',
    help: 'origins of other web pages that may use the service, separated by commas; * for any',
    fallback: '',
    parse: (text) => parseListSetting(text, isOrigin, 'origins like https://example.org, separated by commas, or *'),
  },
  allowedHosts: {
    variable: 'ALLOWED_HOSTS',
    flag: '--allowed-hosts <list>',
    help: 'host names to answer to besides IP addresses, localhost and that of the machine, by commas; * for any',
    fallback: '',
    parse: (text) =>
      parseListSetting(text.toLowerCase(), isHostName, 'host names without a port, separated by commas, or *'),
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    flag: '--trusted-proxies <list>',
    help: 'addresses or networks of proxies whose X-Forwarded-For counts, separated by commas',
    fallback: '',
    parse: (text) => parseListSetting(text, isNetwork, 'addresses or networks like 10.0.0.0/8, separated by commas'),
  },
  accessTokens: {
    variable: 'ACCESS_TOKEN',
    flag: undefined, // every user can see flags in the list of processes
    help: 'token that requests must bring; ACCESS_TOKEN_FILE may hold several, in lines of <name> full|read <token>',
    fallback: 'off',
    parse: parseAccessTokens,
    isSecret: true,
  },
  mcp: {
    variable: 'MCP',
    flag: '--mcp <mode>',
    help: `one of ${mcpModes.join(', ')}: what programs that speak MCP may do at /mcp`,
    fallback: 'off',
    parse: (text) => parseChoice(text, mcpModes),
  },
  mcpSecrets: {
    variable: 'MCP_SECRETS',
    flag: '--mcp-secrets <what>',
    help: `one of ${mcpSecrets.join(', ')}: what /mcp does with notes that seem to hold keys or passwords`,
    fallback: 'withhold',
    parse: (text) => parseChoice(text, mcpSecrets),
  },
  auditLog: {
    variable: 'AUDIT_LOG',
    flag: '--audit-log <file>',
    help: 'file to append a line to for each write: who, from where, which note; - for standard output, off for none',
    fallback: 'off',
    parse: (text) => matchSettingText(text, /^[^~]/, 'a file (without ~), - or off'),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    flag: '--log-level <level>',
    help: `one of ${logLevels.join(', ')}; debug shows every request`,
    fallback: 'info',
    parse: (text) => parseChoice(text, logLevels),
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Values of the settings, by name. */
export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']> };

/** Invalid settings. The message lists all mistakes, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Returns the variables that locate the notes. Commands on notes ignore mistakes in all others. */
export const selectStoreVariables = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(DATABASE_|HISTORY_VERSIONS$|HOME$|XDG_DATA_HOME$)/.test(name)),
  );

/** Settings as texts, by name. */
type SettingTexts = Partial<Record<keyof Config, string>>;

/**
 * Reads the settings from flags, else from the environment, else from defaults. Calls `warn` with a sentence for each
 * file that exposes its secret. Throws `ConfigError`.
 */
export function readConfig(
  env: Environment,
  flags: SettingTexts = {},
  warn: (sentence: string) => void = () => {},
): Config {
  const { config, mistakes, warnings } = readSettings(env, flags);
  for (const sentence of warnings) warn(sentence);
  if (isCompleteConfig(config) && mistakes.length === 0) return Object.freeze(config);
  throw new ConfigError(`Wrong settings:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);
}

interface SettingsReport {
  readonly config: Partial<Config>;
  readonly mistakes: readonly string[];
  /** A sentence for each file that exposes its secret. */
  readonly warnings: readonly string[];
}

/** Like `readConfig`, but returns the mistakes; settings with one are undefined. */
export function readSettings(env: Environment, flags: SettingTexts): SettingsReport {
  const mistakes: string[] = [];
  const warnings: string[] = [];
  const flagTexts: Readonly<Record<string, string | undefined>> = flags;
  const fromFlag = flags.database === undefined ? {} : { DATABASE_URL: flags.database, DATABASE_URL_FILE: undefined };
  const environments = { env, fallbackEnv: { ...env, ...fromFlag } };
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const settingText = readSettingText(setting, flagTexts[name], environments);
    if (settingText.warning !== undefined) warnings.push(settingText.warning);
    try {
      values[name] = parseSetting(setting, settingText);
    } catch (error) {
      values[name] = undefined;
      mistakes.push(getErrorMessage(error));
    }
  }
  const config: Partial<Config> = values;
  if (isCompleteConfig(config)) mistakes.push(...findContradictions(config, flags));
  return { config, mistakes, warnings };
}

/** The access tokens in a file, and a warning if others can read it. */
export interface AccessTokenFile {
  readonly tokens: readonly AccessToken[];
  readonly warning?: string | undefined;
}

/** Reads the file of access tokens; undefined if none is named. Throws an error that describes the mistake. */
export function readAccessTokenFileIfConfigured(env: Environment): AccessTokenFile | undefined {
  if (!env[`${settings.accessTokens.variable}_FILE`]) return undefined;
  const settingText = readSettingText(settings.accessTokens, undefined, { env, fallbackEnv: env });
  return { tokens: parseSetting(settings.accessTokens, settingText), warning: settingText.warning };
}

/** Parses the text of a setting. Throws an error that describes the mistake. */
function parseSetting<Value>(setting: Setting<Value>, { source, text, mistake }: SettingText): Value {
  if (mistake !== undefined) throw new Error(mistake);
  try {
    return setting.parse(text.trim());
  } catch (error) {
    const shown = setting.isSecret ? '' : `, not ${JSON.stringify(text)}`; // any part of it may be the password
    throw new Error(`${source} must be ${getErrorMessage(error)}${shown}`);
  }
}

/** Returns a sentence for each pair of settings that contradict each other. */
function findContradictions({ database, backupDir }: Config, flags: SettingTexts): readonly string[] {
  if (backupDir === 'off') return [];
  const source = flags.backupDir === undefined ? settings.backupDir.variable : '--backup-dir';
  const mustBeOff = `${source} must be off with`;
  if (database.engine === 'postgres') return [`${mustBeOff} PostgreSQL, whose backups are made by pg_dump`];
  return database.path === ':memory:' ? [`${mustBeOff} sqlite::memory:, which keeps nothing`] : [];
}

/** The text of a setting, and its source: a flag, a variable, the file that a variable names, or the default. */
interface SettingText {
  /** For messages: `--port`, `PORT` or `The text in DATABASE_URL_FILE`. */
  readonly source: string;
  readonly text: string;
  /** Why there is no text. */
  readonly mistake?: string;
  readonly warning?: string | undefined;
}

interface Environments {
  readonly env: Environment;
  /** The environment for defaults, which also has the flags that they depend on. */
  readonly fallbackEnv: Environment;
}

/** Finds the text of a setting: in its flag, the file that a variable names, its variable, or else its default. */
function readSettingText(setting: Setting, flag: string | undefined, { env, fallbackEnv }: Environments): SettingText {
  const { variable, fallback, isSecret } = setting;
  if (flag !== undefined) return { source: setting.flag?.split(' ', 1)[0] ?? '', text: flag };
  const file = isSecret ? env[`${variable}_FILE`] : undefined;
  if (file) return readSecretSetting(file, variable, env);
  const defaultText = () => (typeof fallback === 'string' ? fallback : fallback(fallbackEnv));
  return { source: variable, text: env[variable] || defaultText() };
}

/** Reads the file with the text of a secret setting, such as that of `DATABASE_URL_FILE`. */
function readSecretSetting(file: string, variable: string, env: Environment): SettingText {
  const source = `${variable}_FILE`;
  if (env[variable]) return { source, text: '', mistake: `${variable} and ${source} must not both be set` };
  const secret = readSecretFile(file, source);
  if (secret === undefined) return { source, text: '', mistake: `${source} must be a readable file, not "${file}"` };
  return { source: `The text in ${source}`, ...secret };
}

/** Whether all settings are valid. */
const isCompleteConfig = (config: Partial<Config>): config is Config =>
  Object.values(config).every((value) => value !== undefined);

/** Returns the address of a file in the data folder of the XDG base directory specification; empty without a home. */
function getDefaultDatabaseUrl(env: Environment): string {
  const dataHome = env['XDG_DATA_HOME'] ?? '';
  if (isAbsolute(dataHome)) return `sqlite:${join(dataHome, 'notes', 'notes.db')}`; // relative paths are ignored
  const home = env['HOME'] || findHomeFolder();
  return home === '' ? '' : `sqlite:${join(home, '.local', 'share', 'notes', 'notes.db')}`;
}

/** Returns the folder `backups` beside the default database if that is in use, else `off`. */
function getDefaultBackupDir(env: Environment): string {
  const defaultUrl = getDefaultDatabaseUrl(env);
  const url = env['DATABASE_URL']?.trim() || defaultUrl;
  const isInUse = !env['DATABASE_URL_FILE'] && defaultUrl !== '' && url === defaultUrl;
  return isInUse ? join(dirname(defaultUrl.slice('sqlite:'.length)), 'backups') : 'off';
}

/** Returns the home folder; empty if the system does not know the user, as in a container with any user id. */
function findHomeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Parses a value of `DATABASE_URL`. Throws an error that completes "… must be". */
function parseDatabaseAddress(text: string): DatabaseAddress {
  if (/^postgres(ql)?:\/\//.test(text)) return { engine: 'postgres', ...parsePostgresAddress(text) };
  const path = /^sqlite:(?:\/\/(?=\/)|(?!\/\/))(.+)$/s.exec(text)?.[1];
  if (path?.startsWith('~')) throw new Error('a path without ~: write out your home folder');
  if (path?.includes('\0')) throw new Error('a path without NUL (U+0000)');
  if (path !== undefined) return { engine: 'sqlite', path };
  throw new Error('sqlite:<file>, sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<database>');
}
