import { describe, expect, test } from 'bun:test';
import { createHostCheck, ownHosts } from './foreign-pages.ts';

const check = (allowedHosts: readonly string[], host: string | null) => createHostCheck({ allowedHosts })(host);

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
  ])('%p: %p', (host, allowed) => {
    expect(check(['notes.lan'], host)).toBe(allowed);
  });

  test.each(['any.example', '', null])('with * serves %p', (host) => {
    expect(check(['*'], host)).toBe(true);
  });

  test('does not allow a host because the previous one was allowed', () => {
    const isAllowed = createHostCheck({ allowedHosts: [] });

    expect([isAllowed('localhost'), isAllowed('evil.example'), isAllowed('localhost')]).toEqual([true, false, true]);
  });
});

test.each([
  ['0.0.0.0', 'Ann-PC', ['ann-pc', 'ann-pc.local'], ['ann-pc.evil.example', 'other']],
  ['Notes.Lan', 'pc.example', ['notes.lan', 'pc.example'], ['pc.example.local', 'pc']],
])('at %s the machine %s is served by its own names', (listensAt, machine, served, refused) => {
  const own = ownHosts(listensAt, machine);

  expect(served.map((host) => check(own, host))).toEqual(served.map(() => true));
  expect(refused.map((host) => check(own, host))).toEqual(refused.map(() => false));
});
