import { describe, expect, test } from 'bun:test';
import { createHostCheck } from './host.ts';

const check = (hostname: string, allowedHosts: string[], host: string | null) =>
  createHostCheck({ hostname, allowedHosts })(host);

describe('createHostCheck', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.0.0.1:3000', true],
    ['192.168.1.7:3000', true],
    ['[::1]:3000', true],
    ['[::1]', true],
    ['localhost', true],
    ['LOCALHOST:3000', true],
    ['notes.localhost:3000', true],
    ['notes.lan', true],
    ['Notes.LAN:80', true],
    ['evil.example', false],
    ['evil.example:3000', false],
    ['localhost.evil.example', false],
    ['evillocalhost', false],
    ['127.0.0.1.evil.example', false],
    ['notes.lan.evil.example', false],
    ['localhost@evil.example', false],
    ['localhost/evil.example', false],
    ['localhost evil.example', false],
    ['localhost:3000:80', false],
    ['[::1', false],
    ['::1', false],
    ['', false],
    [null, false],
  ])('bound to a loopback address, %p: %p', (host, allowed) => {
    expect(check('127.0.0.1', ['notes.lan'], host)).toBe(allowed);
  });

  test.each([
    '127.0.0.1',
    '127.1.2.3',
    '127.1',
    '2130706433',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    'localhost',
    'LOCALHOST',
  ])('is on at %s', (hostname) => {
    expect(check(hostname, [], 'evil.example')).toBe(false);
  });

  test.each(['0.0.0.0', '::', '192.168.1.7'])('is off at %s unless hosts are listed', (hostname) => {
    expect(check(hostname, [], 'any.example')).toBe(true);
    expect(check(hostname, [], null)).toBe(true);
    expect(check(hostname, ['notes.lan'], 'any.example')).toBe(false);
    expect(check(hostname, ['notes.lan'], 'notes.lan')).toBe(true);
  });

  test('does not let a host in because another one was', () => {
    const isAllowed = createHostCheck({ hostname: '127.0.0.1', allowedHosts: [] });

    expect([isAllowed('localhost'), isAllowed('evil.example'), isAllowed('localhost')]).toEqual([true, false, true]);
  });
});
