import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../test/support/service.ts';
import { lacksVerifiedTlsOverNetwork, type PostgresAddress } from '../core/postgres-address.ts';
import { ConfigError, readConfigAndWarn } from './config.ts';
import { type DatabaseAddress, settings } from './settings-table.ts';

const listMistakes = (env: Record<string, string>, flags = {}) => {
  try {
    readConfigAndWarn(env, flags);
  } catch (error) {
    return error instanceof ConfigError ? error.message.split('\n') : error;
  }
  return 'no error';
};

describe('readConfigAndWarn', () => {
  test('has a default for every setting', () => {
    expect(readConfigAndWarn({ HOME: '/home/a' })).toEqual({
      host: '127.0.0.1',
      port: 3000,
      database: { engine: 'sqlite', path: '/home/a/.local/share/notes/notes.db' },
      databasePoolSize: 10,
      databaseTimeoutMs: 10_000,
      historyVersions: 100,
      backupDir: '/home/a/.local/share/notes/backups',
      backupKeep: { daily: 7, weekly: 4, maxBytes: 2 * 2 ** 30 },
      maxBodyBytes: 8_388_608,
      corsOrigins: [],
      allowedHosts: [],
      trustedProxies: [],
      accessTokens: [],
      mcp: 'off',
      mcpSecrets: 'withhold',
      auditLog: 'off',
      logLevel: 'info',
    });
  });

  test('lets a flag win over the environment, and the environment over the default', () => {
    const config = readConfigAndWarn({ PORT: '1', HOST: '::1' }, { port: '2' });

    expect(config).toMatchObject({ port: 2, host: '::1', maxBodyBytes: 8_388_608 });
  });

  test.each([
    ['/data', '/data/notes/notes.db'],
    ['relative', '/home/a/.local/share/notes/notes.db'],
  ])('with XDG_DATA_HOME %p keeps notes in %s', (XDG_DATA_HOME, path) => {
    expect(readConfigAndWarn({ HOME: '/home/a', XDG_DATA_HOME }).database).toEqual({ engine: 'sqlite', path });
  });

  test.each([
    ['sqlite:notes.db', 'notes.db'],
    ['sqlite:/var/notes.db', '/var/notes.db'],
    ['sqlite::memory:', ':memory:'],
  ])('takes DATABASE_URL %s', (DATABASE_URL, path) => {
    expect(readConfigAndWarn({ DATABASE_URL }).database).toEqual({ engine: 'sqlite', path });
  });

  const remote = {
    engine: 'postgres',
    hostname: 'db.example',
    port: 5432,
    database: 'notes',
    username: 'ann',
    password: '',
    tls: 'verify-full',
    prepare: true,
    connectTimeoutMs: 30_000,
  };

  test.each([
    ['postgres://ann@db.example/notes', {}],
    ['postgresql://ann:p%40%2F@db.example:6543/my%20notes', { password: 'p@/', port: 6543, database: 'my notes' }],
    ['postgres://ann@db.example/notes?sslmode=require', { tls: 'require' }],
    ['postgres://ann@db.example/notes?sslrootcert=/etc/ca.pem', { caFile: '/etc/ca.pem' }],
    ['postgres://ann@db.example/notes?prepare=false&connect_timeout=5', { prepare: false, connectTimeoutMs: 5_000 }],
    ['postgres://ann@db.example/notes?sslmode=require&channel_binding=require', {}],
    ['postgres://ann@db.example/notes?sslmode=require&channel_binding=prefer', { tls: 'require' }],
    ['postgres://ann@db.example/notes?sslmode=prefer&application_name=notes', { tls: 'require' }],
    ['postgres://ann@db.example/notes?pgbouncer=true', { prepare: false }],
    ['postgres://ann@localhost/notes', { hostname: 'localhost', tls: 'disable' }],
    ['postgres://ann@localhost/notes?sslmode=prefer', { hostname: 'localhost', tls: 'disable' }],
    ['postgres://ann@127.0.0.1/notes?sslmode=verify-full', { hostname: '127.0.0.1' }],
    ['postgres://ann@localhost/notes?host=/run/postgresql', { hostname: '/run/postgresql', tls: 'disable' }],
  ])('takes DATABASE_URL %s', (DATABASE_URL, parts) => {
    expect(readConfigAndWarn({ DATABASE_URL }).database).toEqual({ ...remote, ...parts } as DatabaseAddress);
  });

  test.each([
    ['disable', true],
    ['require', true],
    ['verify-ca', true],
    ['verify-full', false],
  ])('with sslmode=%s others may listen, or pretend to be the database: %p', (mode, exposed) => {
    const at = (host: string) =>
      readConfigAndWarn({ DATABASE_URL: `postgres://ann@${host}/notes?sslmode=${mode}` }).database;

    expect(lacksVerifiedTlsOverNetwork(at('db.example') as PostgresAddress)).toBe(exposed);
    expect(lacksVerifiedTlsOverNetwork(at('localhost') as PostgresAddress)).toBe(false);
  });

  test('takes DATABASE_URL from the file that DATABASE_URL_FILE names', () => {
    using folder = createTemporaryFolder();
    const file = join(folder.path, 'url');
    writeFileSync(file, 'postgres://ann:secret@db.example/notes\n');

    expect(readConfigAndWarn({ DATABASE_URL_FILE: file }).database).toMatchObject({ password: 'secret' });
    expect(readConfigAndWarn({ DATABASE_URL_FILE: file }, { database: 'sqlite:a' }).database).toMatchObject({
      path: 'a',
    });
    expect(listMistakes({ DATABASE_URL_FILE: file, DATABASE_URL: 'sqlite:a' })).toEqual([
      'Wrong settings:',
      '  DATABASE_URL and DATABASE_URL_FILE must not both be set',
    ]);
    expect(listMistakes({ DATABASE_URL_FILE: join(folder.path, 'none') })).toEqual([
      'Wrong settings:',
      `  DATABASE_URL_FILE must be a readable file, not "${join(folder.path, 'none')}"`,
    ]);
  });

  test('takes ACCESS_TOKEN from the environment or a file, never from a flag, and does not print it', () => {
    using folder = createTemporaryFolder();
    const file = join(folder.path, 'tokens');
    writeFileSync(file, 'ann full 0123456789abcdef\nboard read fedcba9876543210\n');

    expect(readConfigAndWarn({ HOME: '/', ACCESS_TOKEN: '0123456789abcdef' }).accessTokens).toMatchObject([
      { rights: 'full' },
    ]);
    expect(readConfigAndWarn({ HOME: '/', ACCESS_TOKEN_FILE: file }).accessTokens).toHaveLength(2);
    expect(settings.accessTokens.flag).toBeUndefined();
    const mistake = 'a token of 16 to 256 visible ASCII characters, or lines like "<name> full|read <token>", or off';
    expect(listMistakes({ HOME: '/', ACCESS_TOKEN: 'too short' })).toEqual([
      'Wrong settings:',
      `  ACCESS_TOKEN must be ${mistake}`,
    ]);
    writeFileSync(file, '# none\n');
    expect(listMistakes({ HOME: '/', ACCESS_TOKEN_FILE: file })).toEqual([
      'Wrong settings:',
      `  The text in ACCESS_TOKEN_FILE must be ${mistake}`,
    ]);
  });

  test.each([
    'postgres://ann:secret@db.example',
    'postgres://ann:secret@/notes',
    'postgres://ann:se/cret@db.example/notes',
    'postgres://ann:sec@ret@db.example:x/notes',
    'postgres://ann:secret@db.example/notes?sslmode=secure',
    'postgres://ann:secret@db.example/notes?connect_timeout=soon',
    'postgres://ann:secret@db.example/notes?prepare=no',
    'postgres://ann:secret@db.example/notes?sslmode=require&channel_binding=yes',
    'postgres://ann:secret@one.example:5432,two.example:5432/notes',
    'postgres://ann:secret@db.example/notes?user=b&password=secret',
    'mysql://ann:secret@db.example/notes',
  ])('refuses DATABASE_URL %s and does not print the password', (DATABASE_URL) => {
    const mistakes = String(listMistakes({ DATABASE_URL }));

    expect(mistakes).toContain('DATABASE_URL must be ');
    expect(mistakes).not.toMatch(/secret|cret@|sec@/);
  });

  test('several hosts are named as what is wrong', () => {
    const DATABASE_URL = 'postgres://ann:secret@one.example:5432,two.example:5433/notes';

    expect(String(listMistakes({ DATABASE_URL }))).toContain('an address with one host: several are not supported');
  });

  const beside = '/home/a/.local/share/notes/backups';

  test.each<[env: Record<string, string>, folder: string, flags?: Record<string, string>]>([
    [{ XDG_DATA_HOME: '/data' }, '/data/notes/backups'],
    [{ DATABASE_URL: 'sqlite:/home/a/.local/share/notes/notes.db' }, beside],
    [{ DATABASE_URL: 'sqlite:/var/notes.db' }, 'off'],
    [{ DATABASE_URL: 'sqlite::memory:' }, 'off'],
    [{ DATABASE_URL: 'postgres://ann@db.example/notes' }, 'off'],
    [{}, 'off', { database: 'sqlite:/var/notes.db' }],
    [{ DATABASE_URL: 'sqlite:/var/notes.db', BACKUP_DIR: '/mnt' }, '/mnt'],
    [{ BACKUP_DIR: 'off' }, 'off'],
  ])('%p makes backups in %s', (env, folder, flags = {}) => {
    expect(readConfigAndWarn({ HOME: '/home/a', ...env }, flags).backupDir).toBe(folder);
  });

  test.each([
    ['7,4', { daily: 7, weekly: 4, maxBytes: Number.POSITIVE_INFINITY }],
    ['1 0 500MiB', { daily: 1, weekly: 0, maxBytes: 500 * 2 ** 20 }],
    ['30, 12, 10 GiB', { daily: 30, weekly: 12, maxBytes: 10 * 2 ** 30 }],
  ])('takes BACKUP_KEEP %s', (BACKUP_KEEP, kept) => {
    expect(readConfigAndWarn({ HOME: '/home/a', BACKUP_KEEP }).backupKeep).toEqual(kept);
  });

  test.each(['7', '0,4', '7,4,2', '7,4,2GB', '-1,4', 'all'])('refuses BACKUP_KEEP %s', (BACKUP_KEEP) => {
    expect(String(listMistakes({ HOME: '/home/a', BACKUP_KEEP }))).toContain(
      'BACKUP_KEEP must be like 7,4 or 7,4,2GiB: ',
    );
  });

  test('takes lists', () => {
    const config = readConfigAndWarn({
      CORS_ORIGINS: 'https://a.example, http://b:8080',
      ALLOWED_HOSTS: 'Notes.Lan,,x',
      TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1 ,fd00::/8,::1',
    });

    expect(config).toMatchObject({
      corsOrigins: ['https://a.example', 'http://b:8080'],
      allowedHosts: ['notes.lan', 'x'],
      trustedProxies: ['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '::1'],
    });
  });

  const noAddress =
    'DATABASE_URL must be sqlite:<file>, sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<database>';

  test.each([
    [{ PORT: '-1' }, 'PORT must be an integer from 0 to 65535, not "-1"'],
    [{ HOST: 'a b' }, 'HOST must be an IP address or a host name, not "a b"'],
    [{ DATABASE_URL: 'notes.db' }, noAddress],
    [{ DATABASE_URL: 'sqlite://notes.db' }, noAddress],
    [{ DATABASE_URL: 'sqlite:~/notes.db' }, 'DATABASE_URL must be a path without ~: write out your home folder'],
    [{ BACKUP_DIR: '~/backups' }, 'BACKUP_DIR must be a folder (without ~) or off, not "~/backups"'],
    [
      { DATABASE_URL: 'postgres://ann@db.example/notes', BACKUP_DIR: '/mnt' },
      'BACKUP_DIR must be off with PostgreSQL, whose backups are made by pg_dump',
    ],
    [
      { DATABASE_URL: 'sqlite::memory:', BACKUP_DIR: '/mnt' },
      'BACKUP_DIR must be off with sqlite::memory:, which keeps nothing',
    ],
    [{ MAX_BODY_BYTES: '0' }, 'MAX_BODY_BYTES must be an integer from 1 to 268435456, not "0"'],
    [{ MCP: 'on' }, 'MCP must be one of off, read, write, not "on"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of debug, info, warn, error, not "loud"'],
    [
      { ALLOWED_HOSTS: 'a:80' },
      'ALLOWED_HOSTS must be host names without a port, separated by commas, or *, not "a:80"',
    ],
    [
      { CORS_ORIGINS: 'https://a.example/' },
      'CORS_ORIGINS must be origins like https://example.org, separated by commas, or *, not "https://a.example/"',
    ],
    ...['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0', '010.0.0.1', '999.0.0.1', 'fd00::/129', 'proxy'].map(
      (TRUSTED_PROXIES): [Record<string, string>, string] => [
        { TRUSTED_PROXIES },
        `TRUSTED_PROXIES must be addresses or networks like 10.0.0.0/8, separated by commas, not "${TRUSTED_PROXIES}"`,
      ],
    ),
  ])('refuses %p', (env, mistake) => {
    expect(listMistakes(env)).toEqual(['Wrong settings:', `  ${mistake}`]);
  });

  test('names the flag, not the variable, of settings that contradict each other', () => {
    const flags = { database: 'sqlite::memory:', backupDir: '/mnt' };

    expect(() => readConfigAndWarn({}, flags)).toThrow(
      '--backup-dir must be off with sqlite::memory:, which keeps nothing',
    );
  });

  test('names all mistakes at once, flags by their flag', () => {
    expect(listMistakes({ PORT: 'x', LOG_LEVEL: 'x' }, { host: '' })).toEqual([
      'Wrong settings:',
      '  --host must be an IP address or a host name, not ""',
      '  PORT must be an integer from 0 to 65535, not "x"',
      '  LOG_LEVEL must be one of debug, info, warn, error, not "x"',
    ]);
  });
});
