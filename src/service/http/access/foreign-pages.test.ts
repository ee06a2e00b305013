import { describe, expect, test } from 'bun:test';
import { createHostCheck, createOriginCheck, ownHosts } from './foreign-pages.ts';

const check = (allowedHosts: readonly string[], host: string | null) => createHostCheck({ allowedHosts })(host);

describe('createHostCheck', () => {
  test.each([
    ['127.0.0.1:3000', true],
    ['192.168.1.7:3000', true],
    ['[::1]:3000', true],
    ['localhost', true],
    ['LOCALHOST:3000', true],
    ['notes.lan', true],
    ['Notes.LAN:80', true],
    ['evil.example:3000', false],
    ['localhost.evil.example', false],
    ['localhost.', false],
    ['evillocalhost', false],
    ['localhost@evil.example', false],
    ['localhost:3000:80', false],
    ['::1', false],
    ['', false],
    [null, false],
  ])('%p: %p', (host, allowed) => {
    expect(check(['notes.lan'], host)).toBe(allowed);
  });

  test.each(['any.example', '', null])('with * serves %p', (host) => {
    expect(check(['*'], host)).toBe(true);
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

const isAllowed = createOriginCheck(['https://listed.example']);
const checkOrigin = (headers: Record<string, string>, method = 'POST') =>
  isAllowed(
    new Request('http://127.0.0.1:3000/api/notes', { method, headers: { Host: '127.0.0.1:3000', ...headers } }),
  );

const own = 'http://127.0.0.1:3000';
const foreign = 'https://evil.example';
const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

test.each<[sent: Record<string, string>, by: string]>([
  [{}, 'a program'],
  [{ Origin: own }, 'the page, in an old browser'],
  [{ Origin: own, 'Sec-Fetch-Site': 'same-origin' }, 'the page'],
  [{ Origin: 'https://notes.lan', 'Sec-Fetch-Site': 'same-origin' }, 'the page behind a proxy with another Host'],
  [{ Origin: 'http://notes.lan', 'X-Forwarded-Host': 'notes.lan' }, 'the page behind such a proxy over plain http'],
  [{ 'Sec-Fetch-Site': 'none' }, 'a person, by the address bar'],
  [{ Origin: 'https://listed.example', 'Sec-Fetch-Site': 'cross-site' }, 'a page that is granted CORS'],
])('%p is served: %s', (headers) => {
  expect([checkOrigin(headers), checkOrigin(headers, 'GET')]).toEqual([true, true]);
});

test.each<[sent: Record<string, string>]>([
  [{ Origin: foreign }],
  [{ Origin: 'null' }],
  [{ Origin: 'http://127.0.0.1:4000' }],
  [{ Origin: 'http://127.0.0.1' }],
  [{ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
  [{ Origin: own, 'Sec-Fetch-Site': 'cross-site' }],
  [{ Origin: 'http://127.0.0.1:4000', 'Sec-Fetch-Site': 'same-site' }],
  [{ Origin: `${foreign}/https://listed.example` }],
  [{ Origin: 'https://listed.example.evil.example' }],
  [{ ...link, 'Sec-Fetch-Dest': 'iframe' }],
])('%p is refused', (headers) => {
  expect([checkOrigin(headers), checkOrigin(headers, 'GET')]).toEqual([false, false]);
});

test('a link leads here, a form does not', () => {
  expect([
    checkOrigin(link, 'GET'),
    checkOrigin(link, 'POST'),
    checkOrigin({ ...link, Origin: foreign }, 'POST'),
  ]).toEqual([true, false, false]);
});
