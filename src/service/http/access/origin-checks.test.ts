import { describe, expect, test } from 'bun:test';
import { createHostPredicate, createRequestOriginPredicate, listServiceHostNames } from './origin-checks.ts';

const check = (allowedHosts: readonly string[], host: string | null) => createHostPredicate({ allowedHosts })(host);

describe('createHostPredicate', () => {
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
])('at %s the machine %s is served by its own names', (listensAt, machine, served, rejected) => {
  const own = listServiceHostNames(listensAt, machine);

  expect(served.map((host) => check(own, host))).toEqual(served.map(() => true));
  expect(rejected.map((host) => check(own, host))).toEqual(rejected.map(() => false));
});

const isAllowed = createRequestOriginPredicate(['https://listed.example']);
const checkOrigin = (headers: Record<string, string>, method: string) =>
  isAllowed(
    new Request('http://127.0.0.1:3000/api/notes', { method, headers: { Host: '127.0.0.1:3000', ...headers } }),
  );

const own = 'http://127.0.0.1:3000';
const foreign = 'https://evil.example';
const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

test.each<[by: string, sent: Record<string, string>, isRead: boolean, isWritten: boolean]>([
  ['a program', {}, true, true],
  ['the page, in an old browser', { Origin: own }, true, true],
  ['the page', { Origin: own, 'Sec-Fetch-Site': 'same-origin' }, true, true],
  ['the page behind a proxy', { Origin: 'https://notes.lan', 'Sec-Fetch-Site': 'same-origin' }, true, true],
  ['the same in plain http', { Origin: 'http://notes.lan', 'X-Forwarded-Host': 'notes.lan' }, true, true],
  ['a person, by the address bar', { 'Sec-Fetch-Site': 'none' }, true, true],
  ['a page with CORS', { Origin: 'https://listed.example', 'Sec-Fetch-Site': 'cross-site' }, true, true],
  ['a link', link, true, false],
  ['a form', { ...link, Origin: foreign }, true, false],
  ['a foreign page', { Origin: foreign }, false, false],
  ['no page', { Origin: 'null' }, false, false],
  ['another port', { Origin: 'http://127.0.0.1:4000' }, false, false],
  ['no port', { Origin: 'http://127.0.0.1' }, false, false],
  ['an image', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }, false, false],
  ['a forged origin', { Origin: own, 'Sec-Fetch-Site': 'cross-site' }, false, false],
  ['the same site', { Origin: 'http://127.0.0.1:4000', 'Sec-Fetch-Site': 'same-site' }, false, false],
  ['a name that begins alike', { Origin: 'https://listed.example.evil.example' }, false, false],
  ['a frame', { ...link, 'Sec-Fetch-Dest': 'iframe' }, false, false],
])('what %s sends is read or written: %p', (_, headers, isRead, isWritten) => {
  expect([checkOrigin(headers, 'GET'), checkOrigin(headers, 'POST')]).toEqual([isRead, isWritten]);
});
