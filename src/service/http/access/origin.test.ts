import { expect, test } from 'bun:test';
import { createOriginCheck } from './foreign-pages.ts';

const isAllowed = createOriginCheck(['https://listed.example']);
const check = (headers: Record<string, string>, method = 'POST') =>
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
  expect([check(headers), check(headers, 'GET')]).toEqual([true, true]);
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
  [{ ...link, 'Sec-Fetch-Dest': 'iframe' }],
])('%p is refused', (headers) => {
  expect([check(headers), check(headers, 'GET')]).toEqual([false, false]);
});

test('a link leads here, a form does not', () => {
  expect([check(link, 'GET'), check(link, 'POST'), check({ ...link, Origin: foreign }, 'POST')]).toEqual([
    true,
    false,
    false,
  ]);
});
