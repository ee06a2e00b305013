/** The settings of the service, and how the text of each is parsed. */
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { type PostgresAddress, parsePostgresAddress } from '../core/postgres-address.ts';
import {
  isHostNameOrAny,
  isIpAddressOrNetwork,
  isOriginOrAny,
  parseAccessTokensOrOff,
  parseBackupRetention,
  parseChoice,
  parseInteger,
  parseListSetting,
  parseSettingByPattern,
} from '../core/setting-values.ts';

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
    parse: (text) => parseSettingByPattern(text, /^[\w.:-]+$/, 'an IP address or a host name'),
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
    fallback: getDefaultDatabaseUrlOrEmpty,
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
    fallback: getBackupDirOfDefaultDatabaseOrOff,
    parse: (text) => parseSettingByPattern(text, /^[^~]/, 'a folder (without ~) or off'),
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
    parse: (text) =>
      parseListSetting(text, isOriginOrAny, 'origins like https://example.org, separated by commas, or *'),
  },
  allowedHosts: {
    variable: 'ALLOWED_HOSTS',
    flag: '--allowed-hosts <list>',
    help: 'host names to answer to besides IP addresses, localhost and that of the machine, by commas; * for any',
    fallback: '',
    parse: (text) =>
      parseListSetting(text.toLowerCase(), isHostNameOrAny, 'host names without a port, separated by commas, or *'),
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    flag: '--trusted-proxies <list>',
    help: 'addresses or networks of proxies whose X-Forwarded-For counts, separated by commas',
    fallback: '',
    parse: (text) =>
      parseListSetting(text, isIpAddressOrNetwork, 'addresses or networks like 10.0.0.0/8, separated by commas'),
  },
  accessTokens: {
    variable: 'ACCESS_TOKEN',
    flag: undefined, // every user can see flags in the list of processes
    help: 'token that requests must bring; ACCESS_TOKEN_FILE may hold several, in lines of <name> full|read <token>',
    fallback: 'off',
    parse: parseAccessTokensOrOff,
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
    parse: (text) => parseSettingByPattern(text, /^[^~]/, 'a file (without ~), - or off'),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    flag: '--log-level <level>',
    help: `one of ${logLevels.join(', ')}; debug shows every request`,
    fallback: 'info',
    parse: (text) => parseChoice(text, logLevels),
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Returns the address of a file in the data folder of the XDG base directory specification; empty without a home. */
function getDefaultDatabaseUrlOrEmpty(env: Environment): string {
  const dataHome = env['XDG_DATA_HOME'] ?? '';
  if (isAbsolute(dataHome)) return `sqlite:${join(dataHome, 'notes', 'notes.db')}`; // relative paths are ignored
  const home = env['HOME'] || getHomeFolderOrEmpty();
  return home === '' ? '' : `sqlite:${join(home, '.local', 'share', 'notes', 'notes.db')}`;
}

/** Returns the folder `backups` beside the default database if that is in use, else `off`. */
function getBackupDirOfDefaultDatabaseOrOff(env: Environment): string {
  const defaultUrl = getDefaultDatabaseUrlOrEmpty(env);
  const url = env['DATABASE_URL']?.trim() || defaultUrl;
  const isInUse = !env['DATABASE_URL_FILE'] && defaultUrl !== '' && url === defaultUrl;
  return isInUse ? join(dirname(defaultUrl.slice('sqlite:'.length)), 'backups') : 'off';
}

/** Returns the home folder; empty if the system does not know the user, as in a container with any user id. */
function getHomeFolderOrEmpty(): string {
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
