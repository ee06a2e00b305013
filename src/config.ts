import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** Where the notes are kept. */
export interface DatabaseAddress {
  readonly engine: 'sqlite';
  /** A file, or `:memory:`. */
  readonly path: string;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseAddress;
  readonly maxBodyBytes: number;
  readonly corsOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly logLevel: (typeof logLevels)[number];
}

/** One setting: its variable in the environment, its flag, and what they take. */
export interface Setting<Value> {
  readonly variable: string;
  readonly flag: string;
  readonly help: string;
  /** As it would be written; a function where it depends on the environment. */
  readonly fallback: string | ((env: Environment) => string);
  /** Throws an error whose message completes the sentence "`variable` must be …". */
  readonly parse: (text: string) => Value;
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
    flag: '--database-url <url>',
    help: 'sqlite:<file>, or sqlite::memory: to keep nothing',
    fallback: (env) => `sqlite:${join(dataHome(env), 'notes', 'notes.db')}`,
    parse: databaseAddress,
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
    help: 'host names that the service answers to besides IP addresses and localhost, separated by commas',
    fallback: '',
    parse: (text) => listOf(text.toLowerCase(), isHostName, 'host names without a port, separated by commas'),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    flag: '--log-level <level>',
    help: `one of ${logLevels.join(', ')}; debug shows every request`,
    fallback: 'info',
    parse: (text) => oneOf(text, logLevels),
  },
} as const satisfies { [Name in keyof Config]: Setting<Config[Name]> };

/** The settings are wrong. The message names every mistake, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The settings in effect: a flag wins over the environment, the environment over the default. Throws `ConfigError`. */
export function readConfig(env: Environment, flags: Partial<Record<keyof Config, string>> = {}): Config {
  const mistakes: string[] = [];
  const read = <Value>(name: keyof Config, setting: Setting<Value>): Value | undefined => {
    const fallback = typeof setting.fallback === 'string' ? setting.fallback : setting.fallback(env);
    const text = flags[name] ?? (env[setting.variable] || fallback);
    try {
      return setting.parse(text.trim());
    } catch (error) {
      const source = flags[name] === undefined ? setting.variable : setting.flag.split(' ', 1)[0];
      mistakes.push(
        `${source} must be ${error instanceof Error ? error.message : error}, not ${JSON.stringify(withoutPassword(text))}`,
      );
      return undefined;
    }
  };
  const config = {
    host: read('host', settings.host),
    port: read('port', settings.port),
    database: read('database', settings.database),
    maxBodyBytes: read('maxBodyBytes', settings.maxBodyBytes),
    corsOrigins: read('corsOrigins', settings.corsOrigins),
    allowedHosts: read('allowedHosts', settings.allowedHosts),
    logLevel: read('logLevel', settings.logLevel),
  };
  if (!isComplete(config)) throw new ConfigError(`Wrong settings:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);
  return Object.freeze(config);
}

const withoutPassword = (text: string) => text.replace(/\/\/[^/]*@/, '//…@');

const isComplete = (config: { [Name in keyof Config]: Config[Name] | undefined }): config is Config =>
  Object.values(config).every((value) => value !== undefined);

/** The folder for a person's data, after the XDG base directory specification: a relative path there is ignored. */
function dataHome(env: Environment): string {
  const home = env['XDG_DATA_HOME'] ?? '';
  return isAbsolute(home) ? home : join(env['HOME'] || homedir(), '.local', 'share');
}

function databaseAddress(text: string): DatabaseAddress {
  const path = /^sqlite:(?:\/\/(?=\/)|(?!\/\/))(.+)$/s.exec(text)?.[1];
  if (path === undefined || path.startsWith('~')) throw new Error('sqlite:<file> (without ~) or sqlite::memory:');
  return { engine: 'sqlite', path };
}

function matching(text: string, pattern: RegExp, expected: string): string {
  if (!pattern.test(text)) throw new Error(expected);
  return text;
}

function integer(text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (value < least || value > most) throw new Error(`an integer from ${least} to ${most}`);
  return value;
}

function oneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  const value = values.find((allowed) => allowed === text);
  if (value === undefined) throw new Error(`one of ${values.join(', ')}`);
  return value;
}

function listOf(text: string, isValid: (item: string) => boolean, expected: string): readonly string[] {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (!items.every(isValid)) throw new Error(expected);
  return items;
}

const isOrigin = (text: string) => text === '*' || (URL.canParse(text) && new URL(text).origin === text);

const isHostName = (text: string) => /^[a-z0-9._-]+$/.test(text);
