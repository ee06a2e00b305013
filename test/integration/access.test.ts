/** Access control where ACCESS_TOKEN is set: by token, browser session and local machine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../../src/client/client.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  type Service,
  startService,
} from '../support/service.ts';

const token = 'correct-horse-battery';
const reading = 'only-looks-at-the-notes';
const tokens = `owner full ${token}\nboard read ${reading}\n`;

const bearer = (given: string) => ({ Authorization: `Bearer ${given}` });
const withHeaders = (init: RequestInit, headers: Record<string, string>): RequestInit => ({
  ...init,
  headers: { ...(init.headers as Record<string, string>), ...headers },
});

const folder = createTemporaryFolder();
const file = join(folder.path, 'tokens');
const store = { DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` };
let service: Service;
beforeAll(async () => {
  writeFileSync(file, tokens, { mode: 0o600 });
  service = await startService({ ...store, ACCESS_TOKEN_FILE: file, MCP: 'write', LOG_LEVEL: 'debug' });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const ask = (path: string, init: RequestInit = {}) => fetch(`${service.url}${path}`, { redirect: 'manual', ...init });
const create = (headers: Record<string, string>) =>
  ask('/api/notes', withHeaders(createJsonRequest(createDraft()), headers));
const html = { Accept: 'text/html' };
const https = { 'X-Forwarded-Proto': 'https' };

const form = (given: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers,
  body: new URLSearchParams({ token: given }),
});
const getCookieOrEmpty = (answer: Response) => answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
const signIn = async (given = token, headers: Record<string, string> = {}) => ({
  Cookie: getCookieOrEmpty(await ask('/sign-in', form(given, headers))),
});

test('without a token everything is refused but health and the scripts of the page', async () => {
  const reads =
    '/ /api/notes /api/notes/1 /api/events /api/search /api/labels /api/pins /metrics /origins /docs /openapi.json /nowhere';
  const requests = [
    ...reads.split(' ').map((path) => ['GET', path] as const),
    ['HEAD', '/api/notes'],
    ['POST', '/api/notes'],
    ['PUT', '/api/notes/1'],
    ['PATCH', '/api/notes/1/archive'],
    ['PUT', '/api/labels'],
    ['PUT', '/api/pins'],
    ['POST', '/merge'],
    ['POST', '/created'],
    ['POST', '/mcp'],
  ] as const;

  for (const [method, path] of requests) {
    const answer = await ask(path, { method });

    expect([method, path, answer.status]).toEqual([method, path, 401]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Notes"');
    if (method === 'HEAD') continue;
    expect(await answer.json()).toEqual({ error: expect.stringMatching(/^An access token is needed: /) });
    expect(answer.headers.get('notes-outcome')).toBe(method === 'GET' ? null : 'none');
  }
  for (const path of ['/healthz', '/readyz', '/service-worker.js']) expect((await ask(path)).status).toBe(200);
  expect((await ask('/assets/none.js')).status).toBe(404);
});

describe('a token', () => {
  test('lets a program do everything', async () => {
    const client = createClient(service.url, { token });

    const note = await client.create(createDraft({ title: 'by token' }));

    expect((await client.list()).map(({ id }) => id)).toContain(note.id);
    expect((await ask('/metrics', { headers: bearer(token) })).status).toBe(200);
    const events = await ask('/api/events', { headers: bearer(token) });
    expect(events.status).toBe(200);
    await events.body?.cancel();
  });

  test('that is read-only writes nothing', async () => {
    const { id } = await readNoteBody(create(bearer(token)));
    const write = (path: string, method: string) =>
      ask(path, withHeaders(createJsonRequest({ id, title: 'changed' }, method), bearer(reading)));

    const answers = await Promise.all([
      create(bearer(reading)),
      write(`/api/notes/${id}`, 'PUT'),
      write(`/api/notes/${id}/archive`, 'PATCH'),
      write('/merge', 'POST'),
      write('/api/labels', 'PUT'),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect(await answers[0]?.json()).toEqual({ error: 'The access token may only read' });
    const note = await readNoteBody(ask(`/api/notes/${id}`, { headers: bearer(reading) }));
    expect(note).toMatchObject({ title: 'A title', archived: false });
  });

  test('that is read-only gets only the MCP tools that read', async () => {
    const toolsFor = async (given: string) => {
      const accept = { Accept: 'application/json, text/event-stream', ...bearer(given) };
      const answer = await ask(
        '/mcp',
        withHeaders(createJsonRequest({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), accept),
      );
      return [...(await answer.text()).matchAll(/"name":"(\w+)","/g)].map(([, name]) => name);
    };

    expect(await toolsFor(token)).toContain('create');
    expect(await toolsFor(reading)).toEqual(['search', 'get', 'history']);
  });

  test('is nothing else, and never read from the URL', async () => {
    const others = [
      'Bearer ',
      `Basic ${btoa(`owner:${token}`)}`,
      token,
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      'Bearer owner',
    ];
    const query = new URLSearchParams({ token, access_token: token });

    for (const Authorization of others) expect((await create({ Authorization })).status).toBe(401);
    expect((await ask(`/api/notes?${query}`)).status).toBe(401);
  });

  test('passes after 50 wrong ones from its address, which are slowed; none is in the log, an answer or the process list', async () => {
    await using own = await startService({ ACCESS_TOKEN: token, LOG_LEVEL: 'debug' });
    const send = (path: string, init: RequestInit) => fetch(`${own.url}${path}`, { redirect: 'manual', ...init });
    const guess = (n: number) => `a-guess-that-is-wrong-${n}`;
    const signedIn = await send('/sign-in', form(token));
    const Cookie = getCookieOrEmpty(signedIn);
    const guesses = [await send('/sign-in', form(guess(0)))];
    for (let n = 1; n < 50; n++) {
      const headers = { ...bearer(guess(n)), 'X-Forwarded-For': `10.0.1.${n}` };
      guesses.push(await send('/api/notes', { headers }));
    }
    guesses.push(await send('/sign-in', form(guess(50))));

    const right = [
      await send('/api/notes', { headers: bearer(token) }),
      await send('/api/notes', withHeaders(createJsonRequest(createDraft()), bearer(token))),
      await send('/sign-in', form(token)),
      await send('/api/notes', { headers: { Cookie } }),
    ];

    const late = Array.from({ length: 41 }, () => 429);
    expect(guesses.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 401), ...late]);
    expect(Number(guesses.at(-1)?.headers.get('retry-after'))).toBeWithin(1, 61);
    expect(right.map(({ status }) => status)).toEqual([200, 200, 204, 200]);
    const warning = 'A wrong access token came from 127.0.0.1';
    expect(await isEventuallyTrue(() => own.log.filter((line) => line.includes(warning)).length === 1)).toBe(true);
    const texts = await Promise.all([signedIn, ...guesses, ...right].map((answer) => answer.text()));
    const everything = [...own.log, ...texts, readFileSync(`/proc/${own.process.pid}/cmdline`, 'utf8')].join('\n');
    for (const secret of [token, guess(1), Cookie.split('=')[1] ?? '']) expect(everything).not.toContain(secret);
  });

  test('guessed through a trusted proxy counts for the client that the proxy names', async () => {
    const proxy = { ACCESS_TOKEN: token, TRUSTED_PROXIES: '127.0.0.0/8, 2001:db8::7', LOG_LEVEL: 'debug' };
    await using own = await startService(proxy);
    const guessFrom = async (forwarded: string) => {
      const headers = { ...bearer('a-guess-that-is-wrong'), 'X-Forwarded-For': forwarded };
      return (await fetch(`${own.url}/api/notes`, { headers })).status;
    };
    for (let n = 0; n < 10; n++) await guessFrom(`198.51.100.${n}, 203.0.113.7, 2001:db8::7`);

    const statuses = [await guessFrom('203.0.113.7'), await guessFrom('198.51.100.1'), await guessFrom('203.0.113.8')];

    expect(statuses).toEqual([429, 401, 401]);
    const warnings = () => own.log.filter((line) => line.includes('A wrong access token came from'));
    expect(await isEventuallyTrue(() => warnings().length === 3)).toBe(true);
    expect(warnings().map((line) => JSON.parse(line).address)).toEqual(['203.0.113.7', '198.51.100.1', '203.0.113.8']);
    expect(warnings().map((line) => JSON.parse(line).level)).toEqual(['warn', 'warn', 'warn']);
  });

  test('is named in the log by its name, with the address of the client', async () => {
    const { id } = await readNoteBody(create(bearer(token)));

    await ask(`/api/notes/${id}`, { headers: bearer(reading) });

    const logged = () => service.log.map((line) => JSON.parse(line)).find(({ path }) => path === `/api/notes/${id}`);
    expect(await isEventuallyTrue(() => logged() !== undefined)).toBe(true);
    expect(logged()).toMatchObject({ msg: 'Request', address: '127.0.0.1', token: 'board', status: 200 });
  });
});

describe('a session', () => {
  test('is created by a form with a token, in a cookie hidden from scripts and other sites', async () => {
    const answer = await ask('/sign-in?note=7', form(token, html));
    const proxied = await ask('/sign-in', form(token, { 'X-Forwarded-Proto': 'https' }));

    expect([answer.status, answer.headers.get('location')]).toEqual([303, './?note=7']);
    const Cookie = getCookieOrEmpty(answer);
    expect(answer.headers.get('set-cookie')).toEndWith('; HttpOnly; SameSite=Strict');
    expect(proxied.status).toBe(204);
    expect(proxied.headers.get('set-cookie')).toEndWith('; HttpOnly; Secure; SameSite=Strict');
    expect((await create({ Cookie })).status).toBe(200);
    expect(Cookie).not.toContain(token);
  });

  test('asks before it ends, and says what the browser would lose', async () => {
    const said = {
      '1': '1 draft that is not saved',
      '12': '12 drafts that are not saved',
      '<b>': 'drafts that are not',
    };
    for (const [drafts, words] of Object.entries(said)) {
      const page = await ask(`/sign-in?${new URLSearchParams({ drafts })}`, { headers: await signIn() });

      expect(await page.text()).toContain(`and ${words}`);
    }
  });

  test('ends at sign-out, copies of its cookie too, and clears what the browser stored', async () => {
    const cookie = await signIn();

    const answer = await ask('/sign-out', { method: 'POST', headers: { ...cookie, ...html } });

    expect([answer.status, answer.headers.get('location')]).toEqual([303, './']);
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"');
    expect((await ask('/api/notes', { headers: cookie })).status).toBe(401);
  });

  test('that was signed out stays so after a restart, and the sessions of other devices go on', async () => {
    using own = createTemporaryFolder();
    const env = { DATABASE_URL: `sqlite:${join(own.path, 'notes.db')}`, ACCESS_TOKEN: token };
    const cookies: string[] = [];
    const statusesAt = ({ url }: Service) =>
      Promise.all(cookies.map(async (Cookie) => (await fetch(`${url}/api/notes`, { headers: { Cookie } })).status));
    {
      await using before = await startService(env);
      for (let n = 0; n < 2; n++) cookies.push(getCookieOrEmpty(await fetch(`${before.url}/sign-in`, form(token))));
      await fetch(`${before.url}/sign-out`, { method: 'POST', headers: { Cookie: cookies[0] ?? '' } });
      expect(await statusesAt(before)).toEqual([401, 200]);
      await before.stop();
    }

    await using after = await startService(env);

    expect(await statusesAt(after)).toEqual([401, 200]);
  });

  test('ends when its token is changed, and those of other tokens do not', async () => {
    using own = createTemporaryFolder();
    const ownFile = join(own.path, 'tokens');
    const env = { DATABASE_URL: `sqlite:${join(own.path, 'notes.db')}`, ACCESS_TOKEN_FILE: ownFile };
    writeFileSync(ownFile, tokens, { mode: 0o600 });
    const cookies: string[] = [];
    {
      await using before = await startService(env);
      for (const one of [token, reading])
        cookies.push(getCookieOrEmpty(await fetch(`${before.url}/sign-in`, form(one))));
      await before.stop();
    }
    writeFileSync(ownFile, tokens.replace(token, `${token}-2`));

    await using after = await startService(env);

    const ask = async (Cookie: string) => (await fetch(`${after.url}/api/notes`, { headers: { Cookie } })).status;
    expect(await Promise.all(cookies.map(ask))).toEqual([401, 200]);
  });

  test('and its token stop at SIGHUP once the token is gone from the file, and new ones count', async () => {
    using own = createTemporaryFolder();
    const ownFile = join(own.path, 'tokens');
    writeFileSync(ownFile, tokens, { mode: 0o600 });
    await using service = await startService({ ACCESS_TOKEN_FILE: ownFile });
    const added = 'a-token-that-was-added';
    const cookies: string[] = [];
    for (const one of [token, reading])
      cookies.push(getCookieOrEmpty(await fetch(`${service.url}/sign-in`, form(one))));
    const statuses = async () => {
      const headers = [...[token, reading, added].map(bearer), ...cookies.map((Cookie) => ({ Cookie }))];
      return Promise.all(
        headers.map(async (some) => (await fetch(`${service.url}/api/notes`, { headers: some })).status),
      );
    };
    const hangUp = async (sentence: RegExp) => {
      const seen = service.log.length;
      service.process.kill('SIGHUP');
      const find = () => service.log.slice(seen).find((line) => sentence.test(line));
      expect(await isEventuallyTrue(() => find() !== undefined)).toBe(true);
      return JSON.parse(find() ?? '');
    };
    const before = await statuses();

    writeFileSync(ownFile, `board read ${reading}\nnew full ${added}\n`);
    await hangUp(/read again/);
    const after = await statuses();
    writeFileSync(ownFile, `new full ${added}\n${token} broken`);
    const broken = await hangUp(/stay as they were/);
    rmSync(ownFile);
    const missing = await hangUp(/stay as they were/);
    writeFileSync(ownFile, 'off');
    await hangUp(/stay as they were: only a restart can turn tokens on or off/);

    expect([before, after, await statuses()]).toEqual([
      [200, 200, 401, 200, 200],
      [401, 200, 200, 401, 200],
      [401, 200, 200, 401, 200],
    ]);
    expect([broken, missing]).toMatchObject([{ level: 'error' }, { level: 'error' }]);
    expect(service.log.join('\n')).not.toContain(token);
  });

  test('and everything else go on at SIGHUP without a file of tokens', async () => {
    await using service = await startService();

    service.process.kill('SIGHUP');

    expect(await isEventuallyTrue(() => service.log.join('\n').includes('SIGHUP: no ACCESS_TOKEN_FILE is set'))).toBe(
      true,
    );
    expect((await fetch(`${service.url}/api/notes`)).status).toBe(200);
  });

  test('is replaced by that of another token, and both cookies are cleared at sign-out', async () => {
    const first = await signIn(token);
    const second = await ask('/sign-in', form(reading, first));
    const Cookie = `${first.Cookie}; ${getCookieOrEmpty(second)}`;

    const replaced = (await ask('/api/notes', { headers: first })).status;
    const current = (await create({ Cookie })).status;
    await ask('/sign-out', { method: 'POST', headers: { Cookie } });

    expect(second.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^notes-.*; Max-Age=2592000;/),
      expect.stringMatching(/^notes-\w+=; Max-Age=0;/),
    ]);
    expect([replaced, current, (await ask('/api/notes', { headers: { Cookie } })).status]).toEqual([401, 403, 401]);
  });

  test('sign-out says whether the browser clears its data: not over plain HTTP to another machine', async () => {
    const cookie = await signIn();
    const announced = async (headers: Record<string, string>) => {
      const answer = await ask('/sign-in', { headers: { ...html, ...cookie, ...headers } });
      return /Signing out \w+/.exec(await answer.text())?.[0];
    };

    expect(await announced({})).toBe('Signing out removes');
    expect(await announced({ Host: 'notes.localhost:3000' })).toBe('Signing out removes');
    expect(await announced({ Host: '192.0.2.7:3000' })).toBe('Signing out leaves');
    expect(await announced({ Host: '192.0.2.7', ...(await signIn(token, https)), ...https })).toBe(
      'Signing out removes',
    );
  });

  test('is rejected from a foreign page', async () => {
    const foreign = { Origin: 'https://evil.example' };
    const cookie = await signIn();
    const before = await (await ask('/api/notes', { headers: cookie })).json();

    expect((await create({ ...cookie, ...foreign })).status).toBe(403);
    expect((await ask('/sign-in', form(token, foreign))).status).toBe(403);
    expect((await ask('/sign-out', { method: 'POST', headers: { ...cookie, ...foreign } })).status).toBe(403);
    expect(await (await ask('/api/notes', { headers: cookie })).json()).toEqual(before);
  });

  test('the sign-in form replaces the page, and reports a wrong token', async () => {
    const page = await ask('/?q=a"b', { headers: html });
    const wrong = await ask('/sign-in', form('not the token', html));
    const bodies = await Promise.all([page.text(), wrong.text()]);

    expect([page.status, wrong.status]).toEqual([401, 401]);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(bodies[0]).toContain('action="sign-in?q=a%22b"');
    expect(bodies[1]).toContain('The access token is wrong');
    expect(bodies[1]).not.toContain('not the token');
  });

  test.each([
    ['a form that is too long', { body: new URLSearchParams({ token: 'x'.repeat(5000) }) }],
    ['a form of unknown length', { body: new Blob(['token=x']).stream() }],
    ['nothing', {}],
  ])('is not created by %s', async (_, init) => {
    const answer = await ask('/sign-in', { method: 'POST', ...init });

    expect([400, 401]).toContain(answer.status);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});
