import { describe, expect, test } from 'bun:test';
import { ConfigError, readConfig } from './config.ts';

const mistakesOf = (env: Record<string, string>, flags = {}) => {
  try {
    readConfig(env, flags);
  } catch (error) {
    return error instanceof ConfigError ? error.message.split('\n') : error;
  }
  return 'no error';
};

describe('readConfig', () => {
  test('has a default for every setting', () => {
    expect(readConfig({ HOME: '/home/a' })).toEqual({
      host: '127.0.0.1',
      port: 3000,
      database: { engine: 'sqlite', path: '/home/a/.local/share/notes/notes.db' },
      maxBodyBytes: 8_388_608,
      corsOrigins: [],
      allowedHosts: [],
      logLevel: 'info',
    });
  });

  test('lets a flag win over the environment, and the environment over the default', () => {
    const config = readConfig({ PORT: '1', HOST: '::1' }, { port: '2' });

    expect(config).toMatchObject({ port: 2, host: '::1', maxBodyBytes: 8_388_608 });
  });

  test.each([
    ['/data', '/data/notes/notes.db'],
    ['', '/home/a/.local/share/notes/notes.db'],
    ['relative', '/home/a/.local/share/notes/notes.db'],
  ])('with XDG_DATA_HOME %p keeps notes in %s', (XDG_DATA_HOME, path) => {
    expect(readConfig({ HOME: '/home/a', XDG_DATA_HOME }).database.path).toBe(path);
  });

  test.each([
    ['sqlite:notes.db', 'notes.db'],
    ['sqlite:/var/notes.db', '/var/notes.db'],
    ['sqlite:///var/notes.db', '/var/notes.db'],
    ['sqlite::memory:', ':memory:'],
    ['sqlite:a b%20c.db', 'a b%20c.db'],
  ])('takes DATABASE_URL %s', (DATABASE_URL, path) => {
    expect(readConfig({ DATABASE_URL }).database).toEqual({ engine: 'sqlite', path });
  });

  test('takes lists', () => {
    const config = readConfig({ CORS_ORIGINS: 'https://a.example, http://b:8080', ALLOWED_HOSTS: 'Notes.Lan,,x' });

    expect(config).toMatchObject({
      corsOrigins: ['https://a.example', 'http://b:8080'],
      allowedHosts: ['notes.lan', 'x'],
    });
  });

  test.each([
    [{ PORT: '-1' }, 'PORT must be an integer from 0 to 65535, not "-1"'],
    [{ PORT: '80a' }, 'PORT must be an integer from 0 to 65535, not "80a"'],
    [{ PORT: '65536' }, 'PORT must be an integer from 0 to 65535, not "65536"'],
    [{ HOST: 'a b' }, 'HOST must be an IP address or a host name, not "a b"'],
    [{ DATABASE_URL: 'notes.db' }, 'DATABASE_URL must be sqlite:<file> (without ~) or sqlite::memory:, not "notes.db"'],
    [{ DATABASE_URL: 'sqlite:' }, 'DATABASE_URL must be sqlite:<file> (without ~) or sqlite::memory:, not "sqlite:"'],
    [
      { DATABASE_URL: 'sqlite://notes.db' },
      'DATABASE_URL must be sqlite:<file> (without ~) or sqlite::memory:, not "sqlite://notes.db"',
    ],
    [
      { DATABASE_URL: 'sqlite:~/notes.db' },
      'DATABASE_URL must be sqlite:<file> (without ~) or sqlite::memory:, not "sqlite:~/notes.db"',
    ],
    [{ MAX_BODY_BYTES: '0' }, 'MAX_BODY_BYTES must be an integer from 1 to 268435456, not "0"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of debug, info, warn, error, not "loud"'],
    [{ ALLOWED_HOSTS: 'a:80' }, 'ALLOWED_HOSTS must be host names without a port, separated by commas, not "a:80"'],
    [
      { CORS_ORIGINS: 'https://a.example/' },
      'CORS_ORIGINS must be origins like https://example.org, separated by commas, or *, not "https://a.example/"',
    ],
  ])('refuses %p', (env, mistake) => {
    expect(mistakesOf(env)).toEqual(['Wrong settings:', `  ${mistake}`]);
  });

  test('never shows what may hold a password', () => {
    const mistakes = String(mistakesOf({ DATABASE_URL: 'mysql://me:se@cret@db/notes' }));

    expect(mistakes).toContain('mysql://…@db/notes');
    expect(mistakes).not.toContain('cret');
  });

  test('names all mistakes at once, flags by their flag', () => {
    expect(mistakesOf({ PORT: 'x', LOG_LEVEL: 'x' }, { host: '' })).toEqual([
      'Wrong settings:',
      '  --host must be an IP address or a host name, not ""',
      '  PORT must be an integer from 0 to 65535, not "x"',
      '  LOG_LEVEL must be one of debug, info, warn, error, not "x"',
    ]);
  });
});
