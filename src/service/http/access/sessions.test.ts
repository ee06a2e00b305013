import { expect, setSystemTime, test } from 'bun:test';
import type { AccessToken } from '../../../core/setting-values.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';
import { Sessions } from './sessions.ts';

const full: AccessToken = { name: 'ada', rights: 'full', token: '0123456789abcdef' };
const reader: AccessToken = { name: 'bob', rights: 'read', token: 'fedcba9876543210' };

const store = await openSqlite({ path: ':memory:' });

/** The sessions of an instance; all instances of this file share a database. */
async function sessionsWith(...tokens: readonly AccessToken[]): Promise<Sessions> {
  const sessions = new Sessions(store);
  await sessions.replaceTokens(tokens);
  return sessions;
}

const over = (scheme: 'http' | 'https', cookie = ''): Request =>
  new Request('http://notes.example/', { headers: { Cookie: cookie, 'X-Forwarded-Proto': scheme } });

/** The first cookie as a browser sends it back. */
const sent = ([cookie = '']: readonly string[]) => cookie.split(';', 1)[0] ?? '';

const tokenFor = (sessions: Sessions, cookie: string) =>
  sessions.findAccessTokenOfSession(over('http', cookie).headers);

test('a session has the rights of the token with which it began', async () => {
  const sessions = await sessionsWith(full, reader);

  const cookies = [
    sent(await sessions.replaceSessionsAndCreateCookies(full, over('http'))),
    sent(await sessions.replaceSessionsAndCreateCookies(reader, over('http'))),
    '',
  ];

  expect(await Promise.all(cookies.map((cookie) => tokenFor(sessions, cookie)))).toEqual([full, reader, undefined]);
});

test('its cookie is hidden from scripts and other sites, and over https from other domains', async () => {
  const sessions = await sessionsWith(full);

  const [plain] = await sessions.replaceSessionsAndCreateCookies(full, over('http'));
  const secure = await sessions.replaceSessionsAndCreateCookies(full, over('https'));

  expect(plain).toMatch(/^notes-[0-9a-f]{8}=.*; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(secure[0]).toMatch(/^__Host-notes-[0-9a-f]{8}=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  expect(await sessions.findAccessTokenOfSession(over('https', sent(secure)).headers)).toEqual(full);
  expect(await sessions.findAccessTokenOfSession(over('https', sent([plain ?? ''])).headers)).toBeUndefined();
});

test('it ends when it is ended or replaced, and copies of its cookie with it', async () => {
  const sessions = await sessionsWith(full);
  const first = sent(await sessions.replaceSessionsAndCreateCookies(full, over('http')));
  const second = sent(await sessions.replaceSessionsAndCreateCookies(full, over('http', first)));
  const replaced = await tokenFor(sessions, first);

  const cleared = await sessions.endSessionsAndCreateCookies(over('http', second));

  expect([replaced, await tokenFor(sessions, second)]).toEqual([undefined, undefined]);
  expect(cleared).toEqual([expect.stringContaining('=; Max-Age=0;')]);
});

test('it ends after 30 days', async () => {
  const sessions = await sessionsWith(full);
  const cookie = sent(await sessions.replaceSessionsAndCreateCookies(full, over('http')));
  const days = 24 * 60 * 60_000;
  const tokens: (AccessToken | undefined)[] = [];

  for (const count of [29, 31]) {
    setSystemTime(Date.now() + count * days);
    tokens.push(await tokenFor(sessions, cookie));
    setSystemTime();
  }

  expect(tokens).toEqual([full, undefined]);
});

test('every instance with its token accepts it, whatever the others are, and none without', async () => {
  const cookie = sent(await (await sessionsWith(full, reader)).replaceSessionsAndCreateCookies(full, over('http')));
  const others: readonly (readonly AccessToken[])[] = [
    [full, reader],
    [{ ...reader, token: 'another-access-token' }, full],
    [{ ...full, rights: 'read' }],
    [{ ...full, token: 'another-access-token' }, reader],
    [{ ...full, name: 'eve' }],
    [reader],
  ];

  const tokens = await Promise.all(others.map(async (some) => tokenFor(await sessionsWith(...some), cookie)));

  expect(tokens).toEqual([full, full, { ...full, rights: 'read' }, undefined, undefined, undefined]);
});

test('no altered cookie is accepted', async () => {
  const sessions = await sessionsWith(full, reader);
  const cookie = sent(await sessions.replaceSessionsAndCreateCookies(reader, over('http')));
  const [adminName = ''] = sent(await sessions.replaceSessionsAndCreateCookies(full, over('http'))).split('=');
  const [name = '', value = ''] = cookie.split('=');
  const parts = value.split('.');

  const forged = [
    `${adminName}=${value}`,
    ...[
      parts.with(0, String(Number(parts[0]) + 1)).join('.'),
      parts.with(1, '0'.repeat(32)).join('.'),
      parts.with(2, '0'.repeat(64)).join('.'),
      parts.slice(0, 2).join('.'),
      `${value}0`,
      '',
    ].map((other) => `${name}=${other}`),
  ];

  expect(await tokenFor(sessions, cookie)).toEqual(reader);
  expect(await Promise.all(forged.map((one) => tokenFor(sessions, one)))).toEqual(forged.map(() => undefined));
});
