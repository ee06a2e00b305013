import { expect, setSystemTime, test } from 'bun:test';
import type { AccessToken } from '../../../core/tools/setting-values.ts';
import { Sessions } from './sessions.ts';

const full: AccessToken = { name: 'ada', rights: 'full', token: '0123456789abcdef' };
const reader: AccessToken = { name: 'bob', rights: 'read', token: 'fedcba9876543210' };

const over = (scheme: 'http' | 'https', cookie = ''): Request =>
  new Request('http://notes.example/', { headers: { Cookie: cookie, 'X-Forwarded-Proto': scheme } });

/** The cookie as a browser sends it back. */
const sent = (cookie: string) => cookie.split(';', 1)[0] ?? '';

test('a session has the rights of the token with which it began', () => {
  const sessions = new Sessions([full, reader]);

  const cookies = [full, reader].map((token) => sent(sessions.begin(token, over('http'))));

  expect(cookies.map((cookie) => sessions.tokenIn(over('http', cookie)))).toEqual([full, reader]);
  expect(sessions.tokenIn(over('http'))).toBeUndefined();
});

test('its cookie is hidden from scripts and other sites, and over https from other domains', () => {
  const sessions = new Sessions([full]);

  const [plain, secure] = (['http', 'https'] as const).map((scheme) => sessions.begin(full, over(scheme)));

  expect(plain).toMatch(/^notes-[0-9a-f]{8}=.*; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(secure).toMatch(/^__Host-notes-[0-9a-f]{8}=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  expect(sessions.tokenIn(over('https', sent(plain ?? '')))).toBeUndefined();
});

test('it ends when it is ended or replaced, and copies of its cookie with it', () => {
  const sessions = new Sessions([full]);
  const first = sent(sessions.begin(full, over('http')));
  const second = sent(sessions.begin(full, over('http', first)));
  const replaced = sessions.tokenIn(over('http', first));

  const cleared = sessions.end(over('http', second));

  expect([replaced, sessions.tokenIn(over('http', second))]).toEqual([undefined, undefined]);
  expect(cleared).toContain('=; Max-Age=0;');
});

test('it ends after 30 days', () => {
  const sessions = new Sessions([full]);
  const cookie = sent(sessions.begin(full, over('http')));
  const days = 24 * 60 * 60_000;

  const tokens = [29, 31].map((count) => {
    setSystemTime(Date.now() + count * days);
    const token = sessions.tokenIn(over('http', cookie));
    setSystemTime();
    return token;
  });

  expect(tokens).toEqual([full, undefined]);
});

test('every instance with the same tokens accepts it, and none with others', () => {
  const cookie = sent(new Sessions([full, reader]).begin(full, over('http')));
  const changed = { ...reader, token: 'another-access-token' };

  const tokens = [[full, reader], [full], [full, changed]].map((some) =>
    new Sessions(some).tokenIn(over('http', cookie)),
  );

  expect(tokens).toEqual([full, undefined, undefined]);
});

test('no altered cookie is accepted', () => {
  const sessions = new Sessions([full, reader]);
  const cookie = sent(sessions.begin(reader, over('http')));
  const [name = '', value = ''] = cookie.split('=');
  const parts = value.split('.');

  const forged = [
    value.replace('bob', 'ada'),
    parts.with(1, String(Number(parts[1]) + 1)).join('.'),
    parts.with(2, '0'.repeat(32)).join('.'),
    parts.with(3, '0'.repeat(64)).join('.'),
    parts.slice(0, 3).join('.'),
    `${value}0`,
    '',
  ];

  expect(sessions.tokenIn(over('http', cookie))).toBe(reader);
  expect(forged.map((one) => sessions.tokenIn(over('http', `${name}=${one}`)))).toEqual(forged.map(() => undefined));
});
