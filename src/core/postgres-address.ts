import { parseChoice, parseInteger } from './setting-values.ts';

const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
/** As libpq has them. The first two would connect without TLS to whoever says that there is none. */
const sslModes = ['allow', 'prefer', ...tlsModes] as const;
const channelBindings = ['disable', 'prefer', 'require'] as const;

const distributions = ['reference', 'id'] as const;

/** How to reach a PostgreSQL database. */
export interface PostgresAddress {
  /** A host name or address; the folder of a Unix socket if it begins with a slash. */
  readonly hostname: string;
  readonly port: number;
  readonly database: string;
  readonly username: string;
  readonly password: string;
  readonly tls: (typeof tlsModes)[number];
  /** A PEM file of certificates to trust instead of the system's. */
  readonly caFile?: string;
  /** False for a proxy that assigns connections per transaction: no named statements, no session settings. */
  readonly prepare: boolean;
  /** How long the start waits for a database that does not respond yet, in ms. */
  readonly connectTimeoutMs: number;
  /** How Citus distributes new tables of notes. */
  readonly distribution?: (typeof distributions)[number];
}

const postgresParameters = [
  'host',
  'sslmode',
  'sslrootcert',
  'channel_binding',
  'connect_timeout',
  'application_name',
  'prepare',
  'pgbouncer',
  'distribution',
];

const booleans = ['true', 'false'] as const;

/**
 * Parses a URL as libpq does: the parameter `host` may be the folder of a Unix socket. Throws an error whose message
 * completes "the address must be …".
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  if (/^[^/]*:\/\/([^/?#]*@)?[^/?#@]*,/.test(text))
    throw new Error('an address with one host: several are not supported. Name a proxy, or an address that moves');
  const isEncoded = URL.canParse(text) && !/%(?![0-9a-f]{2})/i.test(text);
  if (!isEncoded) throw new Error('a URL whose user and password are percent-encoded, and whose port is at most 65535');
  const url = new URL(text);
  const parameters = url.searchParams;
  const unknown = [...parameters.keys()].find((name) => !postgresParameters.includes(name));
  if (unknown !== undefined)
    throw new Error(`an address without the parameter ${unknown} (${postgresParameters.join(', ')} are known)`);
  const hostname = parameters.get('host') ?? url.hostname.replace(/^\[(.*)\]$/, '$1');
  const database = decodeURIComponent(url.pathname.slice(1));
  if (hostname === '' || database === '' || url.username === '')
    throw new Error('an address with a user, a host and a database');
  const caFile = parameters.get('sslrootcert');
  const distribution = parameters.get('distribution');
  const isPooled = parseChoice(parameters.get('pgbouncer') ?? 'false', booleans, 'with pgbouncer ') === 'true';
  const prepare = parseChoice(parameters.get('prepare') ?? String(!isPooled), booleans, 'with prepare ');
  return {
    hostname,
    port: url.port === '' ? 5432 : Number(url.port),
    database,
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    tls: resolveTlsMode(parameters, hostname),
    prepare: prepare === 'true',
    connectTimeoutMs:
      parseInteger(parameters.get('connect_timeout') ?? '30', 0, 3_600, 'with connect_timeout ') * 1_000,
    ...(caFile !== null && { caFile }),
    ...(distribution !== null && { distribution: parseChoice(distribution, distributions, 'with distribution ') }),
  };
}

/**
 * Channel binding, which the driver does not support, protects from others who pretend to be the database. So does the
 * verification of its certificate: `channel_binding=require` demands that instead.
 */
function resolveTlsMode(parameters: URLSearchParams, hostname: string): PostgresAddress['tls'] {
  const binding = parseChoice(parameters.get('channel_binding') ?? 'prefer', channelBindings, 'with channel_binding ');
  if (binding === 'require') return 'verify-full';
  const mode = parameters.get('sslmode');
  if (mode === null) return isLocalHost(hostname) ? 'disable' : 'verify-full';
  const sslMode = parseChoice(mode, sslModes, 'with sslmode ');
  if (sslMode === 'allow' || sslMode === 'prefer') return isLocalHost(hostname) ? 'disable' : 'require';
  return sslMode;
}

/** Whether the connection stays on this machine. */
const isLocalHost = (hostname: string) => /^(\/|localhost$|127(\.\d+){3}$|::1$)/.test(hostname);

/** Whether the network can read the notes or impersonate the database. */
export const lacksVerifiedTlsOverNetwork = ({ hostname, tls }: PostgresAddress) =>
  !isLocalHost(hostname) && tls !== 'verify-full';
