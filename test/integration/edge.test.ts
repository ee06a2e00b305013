/** What surrounds the operations: hosts, origins, headers, health, metrics, the log and settings. */

import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { hostname } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { BuildInfo } from '../../src/core/build-info.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { openConnection } from '../support/http/raw-http-connection.ts';
import { services } from '../support/postgres/services.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  isCompiled,
  readNoteBody,
  runNotesCommand,
  startService,
} from '../support/service.ts';
import { isLinux, listOpenFileTargets } from '../support/system/process-facts.ts';

describe('the Host header', () => {
  test('is checked on every path, on all addresses too: no foreign page reads or writes by DNS rebinding', async () => {
    await using service = await startService({ HOST: '0.0.0.0', ALLOWED_HOSTS: 'notes.lan', MCP: 'write' });
    const ask = (path: string, host: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${service.port}${path}`, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), Host: host },
      });
    const paths = ['/api/notes', '/healthz', '/metrics', '/openapi.json', '/docs', '/docs/start.js', '/nowhere'];

    for (const path of paths) {
      const [foreign, listed] = await Promise.all([ask(path, 'evil.example'), ask(path, 'notes.lan')]);

      expect([path, foreign.status, listed.status]).toEqual([path, 400, path === '/nowhere' ? 404 : 200]);
      expect(await foreign.json()).toEqual({ error: 'Host is not allowed. Add it to ALLOWED_HOSTS to serve it' });
      expect(listed.headers.get('x-content-type-options')).toBe('nosniff');
      expect(listed.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    const writes = ['/api/notes', '/mcp'].map((path) => ask(path, 'evil.example', createJsonRequest(createDraft())));
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([400, 400]);
    expect((await ask('/api/notes', hostname(), createJsonRequest(createDraft()))).status).toBe(200);
    expect(service.log.filter((line) => line.includes('Everybody who reaches 0.0.0.0'))).toHaveLength(1);
  });

  test('of any name is served with ALLOWED_HOSTS=*, and the log says what that means', async () => {
    await using service = await startService({ ALLOWED_HOSTS: '*' });

    expect((await fetch(`${service.url}/api/notes`, { headers: { Host: 'any.example' } })).status).toBe(200);
    expect(service.log.join('\n')).toContain('Any web page opened on this machine can read and change all notes');
  });
});

describe('foreign origins', () => {
  const preflight = (headers = 'if-match') => ({
    method: 'OPTIONS',
    headers: {
      Origin: 'https://a.example',
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': headers,
    },
  });

  test('write nothing, whatever they send, and get no CORS headers by default', async () => {
    await using service = await startService({ MCP: 'write' });
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    const sent = [
      { Origin: 'https://a.example' },
      { Origin: 'https://a.example', 'Content-Type': 'text/plain' },
      { 'Sec-Fetch-Site': 'same-site' },
      link,
    ];

    for (const path of ['/api/notes', '/merge', '/mcp']) {
      for (const headers of sent) {
        const init = {
          ...createJsonRequest(createDraft()),
          headers: { 'Content-Type': 'application/json', ...headers },
        };
        const answer = await fetch(`${service.url}${path}`, init);
        expect([path, answer.status, answer.headers.get('notes-outcome')]).toEqual([path, 403, 'none']);
      }
    }
    const notes = `${service.url}/api/notes`;
    const read = await fetch(notes, { headers: { Origin: 'https://a.example' } });
    const asked = await fetch(notes, preflight());
    const followed = await fetch(notes, { headers: link });

    const granted = [read, asked].map(({ status, headers }) => [status, headers.get('access-control-allow-origin')]);
    expect(granted).toEqual([
      [403, null],
      [403, null],
    ]);
    expect(await read.json()).toEqual({ error: expect.stringContaining('Origin is not allowed') });
    expect([followed.status, await followed.json()]).toEqual([200, []]);
  });

  test.each([
    ['https://a.example', 'https://a.example', 'https://a.example', null],
    ['*', 'https://b.example', '*', '*'],
  ])('get CORS headers where they are granted by %s', async (CORS_ORIGINS, origin, granted, others) => {
    await using service = await startService({ CORS_ORIGINS, MCP: 'read' });
    const notes = `${service.url}/api/notes`;
    const send = (init: RequestInit, headers: Record<string, string>) =>
      fetch(notes, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } });

    const created = await send(createJsonRequest(createDraft()), { Origin: origin });
    const asked = await send(preflight(), { Origin: origin });
    const other = await send(preflight(), { Origin: 'https://c.example' });
    const foreignHost = await send(preflight(), { Origin: origin, Host: 'evil.example' });
    const mcp = await fetch(`${service.url}/mcp`, preflight('mcp-protocol-version'));

    const answers = [created, asked, other, foreignHost];
    expect(answers.map(({ status }) => status)).toEqual([200, 204, 204, 400]);
    const origins = answers.map(({ headers }) => headers.get('access-control-allow-origin'));
    expect(origins).toEqual([granted, granted, others, null]);
    expect(answers.map(({ headers }) => headers.has('access-control-allow-credentials'))).not.toContain(true);
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET,HEAD,POST,PUT,PATCH');
    expect(asked.headers.get('access-control-allow-headers')).toContain('If-Match');
    expect(mcp.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
    const shown = created.headers.get('access-control-expose-headers')?.split(',').toSorted();
    expect(shown).toEqual('ETag Notes-Cursor Notes-Found Notes-Outcome Retry-After'.split(' '));
  });
});

test('large bodies in flight share one limit: those above it are refused, the others accepted', async () => {
  await using service = await startService({ MAX_BODY_BYTES: '100000' });
  const body = JSON.stringify(createDraft({ content: 'x'.repeat(95_000) }));
  const head = `POST /api/notes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const begin = async () => {
    const connection = await openConnection(service.port);
    connection.send(head + body.slice(0, -1));
    return connection;
  };
  const error = 'Request bodies in flight together must not be larger than 800000 bytes';
  const send = () => fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ content: 'x'.repeat(90_000) })));
  const first = await Promise.all(Array.from({ length: 8 }, begin));

  const isFull = await isEventuallyTrue(async () => (await send()).status === 400); // once all of them have arrived

  const tooMuch = await send();
  expect([isFull, tooMuch.status, await tooMuch.json()]).toEqual([
    true,
    400,
    { error: expect.stringContaining(error) },
  ]);
  for (const connection of first) {
    connection.send(body.slice(-1));
    expect(await connection.receiveResponse()).toMatchObject({ status: 200 });
    connection[Symbol.dispose]();
  }
  using later = await begin();
  later.send(body.slice(-1));
  expect(await later.receiveResponse()).toMatchObject({ status: 200 });
});

describe('health', () => {
  test('is not ready once another program has changed the schema', async () => {
    using folder = createTemporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
    const before = await fetch(`${service.url}/readyz`);
    using db = new Database(path);
    db.run('PRAGMA user_version = 99');

    const answer = await fetch(`${service.url}/readyz`);

    expect([before.status, await before.json()]).toEqual([200, { status: 'ready' }]);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toEqual({
      error: "The schema of the store is at version 99, which is not this program's",
    });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });
});

describe('metrics', () => {
  test.each(services)('count requests by operation and status, commits, and notes in %s', async (engine, start) => {
    await using service = await start();
    const { id } = await readNoteBody(fetch(`${service.url}/api/notes`, createJsonRequest(createDraft())));
    await fetch(`${service.url}/api/notes/${id}/archive`, { method: 'PATCH' });
    await fetch(`${service.url}/api/notes`, createJsonRequest({}));
    await fetch(`${service.url}/nowhere`);

    const answer = await fetch(`${service.url}/metrics`);
    const lines = (await answer.text()).split('\n');

    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of [
      'notes_http_requests_total{method="POST",route="/api/notes",status="200"} 1',
      'notes_http_requests_total{method="POST",route="/api/notes",status="400"} 1',
      'notes_http_requests_total{method="PATCH",route="/api/notes/:id/archive",status="200"} 1',
      'notes_http_requests_total{method="other",route="other",status="404"} 1',
      'notes_http_request_duration_seconds_count{method="POST",route="/api/notes"} 2',
      'notes_http_request_duration_seconds_bucket{method="POST",route="/api/notes",le="+Inf"} 2',
      'notes_commit_writes_sum 2',
      'notes_commit_writes_count 2',
      'notes_stored 1',
    ]) {
      expect(lines).toContain(line);
    }
    const walBytes = engine === 'SQLite' ? ['wal_bytes'] : [];
    for (const name of ['database_bytes', ...walBytes, 'event_loop_lag_seconds', 'commit_duration_seconds_sum']) {
      expect(lines.join('\n')).toMatch(new RegExp(`^notes_${name} [\\d.e-]+$`, 'm'));
    }
    for (const name of ['cpu_seconds_total', 'resident_memory_bytes', 'start_time_seconds']) {
      expect(findFigure(lines, `process_${name}`)).toBeGreaterThan(0);
    }
    if (isLinux) {
      const open = findFigure(lines, 'process_open_fds');
      expect(Math.abs(open - listOpenFileTargets(service.process).length)).toBeLessThan(5);
      expect(findFigure(lines, 'process_max_fds')).toBeGreaterThan(open);
    }
    expect(Math.abs(findFigure(lines, 'process_start_time_seconds') - Date.now() / 1000)).toBeLessThan(60);
    expect(lines.filter((line) => !/^($|# (HELP|TYPE) |[a-z_]+(\{.*\})? [\d.e+-]+$)/.test(line))).toEqual([]);
  });
});

test('the command, /healthz and a metric report the same version, commit and date', async () => {
  await using service = await startService();

  const said = (await runNotesCommand(['--version'])).stdout.trim();
  const { status, ...build }: BuildInfo & { status: string } = (await (
    await fetch(`${service.url}/healthz`)
  ).json()) as never;
  const metrics = await (await fetch(`${service.url}/metrics`)).text();

  const { version, commit, date } = build;
  expect(status).toBe('alive');
  expect(version).toBe(packageJson.version);
  if (!isCompiled) expect(build).toEqual({ version, commit: 'development' });
  else expect(commit).toMatch(/^([0-9a-f]{12}|unknown)$/);
  expect(said).toBe(`${version} (${date === undefined ? commit : `${commit}, ${date}`})`);
  expect(metrics).toContain(`\nnotes_build_info{version="${version}",commit="${commit}",date="${date ?? ''}"} 1\n`);
});

/** The value of a metric without labels. */
const findFigure = (lines: readonly string[], name: string) =>
  Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));

describe('the log', () => {
  const parseLogLines = (lines: readonly string[]) => lines.map((line) => JSON.parse(line));

  test('is JSON, with one line at the start and none for requests', async () => {
    await using service = await startService();
    await fetch(`${service.url}/api/notes`);
    await service.stop();

    const facts = parseLogLines(service.log);

    expect(facts.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', `Notes listens at ${service.url} and keeps notes in sqlite::memory:`],
      ['info', 'Stopping: SIGTERM'],
    ]);
  });

  test('has a line with an id for each request at level debug, and the trace of a valid traceparent', async () => {
    const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const headers: readonly (readonly [traceparent: string, ids: object])[] = [
      [`00-${traceId}-${parentId}-01`, { traceId, parentId }],
      [`01-${traceId}-${parentId}-01-more`, { traceId, parentId }], // of a later version
      [`00-${traceId}-${parentId}-01-more`, {}],
      [`00-${'0'.repeat(32)}-${parentId}-01`, {}],
    ];
    await using service = await startService({ LOG_LEVEL: 'debug' });
    for (const [traceparent] of headers) await fetch(`${service.url}/api/notes?group=x`, { headers: { traceparent } });
    await service.stop();

    const requests = parseLogLines(service.log).filter(({ msg }) => msg === 'Request');

    const known = { level: 'debug', method: 'GET', path: '/api/notes', status: 400 };
    for (const request of requests) {
      expect(request).toMatchObject({ ...known, requestId: expect.stringMatching(/^[\da-f-]{36}$/) });
    }
    const ids = requests.map(({ traceId, parentId }) => ({ ...(traceId && { traceId, parentId }) }));
    expect(ids).toEqual(headers.map(([, expected]) => expected));
  });

  test('has the details of a failure that the answer omits', async () => {
    using folder = createTemporaryFolder();
    const path = join(folder.path, 'notes.db');
    await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
    using db = new Database(path);
    db.run('ALTER TABLE notes RENAME COLUMN color TO colour');

    const answer = await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()));
    const text = await answer.text();
    await service.stop();

    expect(answer.status).toBe(500);
    expect(Object.keys(JSON.parse(text))).toEqual(['error']);
    expect(text).not.toMatch(/colou?r|SQL|sqlite|notes\.db|at .*:\d/);
    const failure = parseLogLines(service.log).find(({ level }) => level === 'error');
    expect(failure).toMatchObject({ msg: 'Request failed', method: 'POST', path: '/api/notes' });
    expect(failure).toHaveProperty('reason', expect.stringContaining('color'));
    expect(failure).not.toHaveProperty('err'); // no stack: every write fails like this until it is mended
  });
});
