/** The log of who wrote what: complete, without secrets, and never in the way of a request. */
import { expect, test } from 'bun:test';
import { closeSync, constants, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  runNotesCommand,
  startService,
} from '../support/service.ts';

const [full, read] = ['a-token-of-ada-that-is-long', 'a-token-of-bob-that-is-long'];
const timeless = (line: string) => {
  const { time, ...entry } = JSON.parse(line);
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return entry;
};

test('names token, address, method, note and status of each write, and neither token nor content', async () => {
  using folder = createTemporaryFolder();
  const [file, tokens] = [join(folder.path, 'audit.ndjson'), join(folder.path, 'tokens')];
  writeFileSync(tokens, `ada full ${full}\nbob read ${read}\n`, { mode: 0o600 });
  const settings = { ACCESS_TOKEN_FILE: tokens, MCP: 'write', TRUSTED_PROXIES: '127.0.0.1', AUDIT_LOG: file };
  await using service = await startService(settings);
  const ask = (path: string, init: RequestInit = {}, token = full) =>
    fetch(`${service.url}${path}`, {
      ...init,
      headers: {
        ...(init.headers as Record<string, string>),
        Authorization: `Bearer ${token}`,
        'X-Forwarded-For': '203.0.113.7',
        Accept: 'application/json, text/event-stream',
      },
    });
  const callTool = (name: string, given: object) =>
    ask('/mcp', createJsonRequest({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }));

  const { id } = await readNoteBody(ask('/api/notes', createJsonRequest(createDraft({ content: 'a secret text' }))));
  await ask(`/api/notes/${id}`, createJsonRequest({ id, title: 'New' }, 'PUT'));
  await ask(`/api/notes/${id}/archive`, { method: 'PATCH' });
  await ask('/api/notes/77/unarchive', { method: 'PATCH' });
  await ask('/api/notes', createJsonRequest({ title: '' }));
  await ask('/api/notes', createJsonRequest(createDraft()), read);
  await ask('/api/notes', createJsonRequest(createDraft()), 'wrong-token-of-nobody');
  await ask(
    '/api/labels',
    createJsonRequest({ first: 'Work', second: null, third: null, fourth: null, fifth: null }, 'PUT'),
  );
  await ask('/merge', createJsonRequest({ notes: [createPortableNote(5), createPortableNote(6)] }));
  await ask('/merge', createJsonRequest({ notes: [createPortableNote(7)], dryRun: true }));
  await (await callTool('create', { title: 'By a program', content: 'x' })).text();
  await (await callTool('update', { id: 7, updatedAt: '2020-01-01T00:00:00.000Z', title: 'Late' })).text();
  await (await callTool('search', { query: 'x' })).text();
  await ask('/api/notes');
  await service.stop();

  const text = readFileSync(file, 'utf8');
  const sender = { token: 'ada', address: '203.0.113.7' };
  const note = { ...sender, route: '/api/notes/:id' };
  expect(text.trimEnd().split('\n').map(timeless)).toEqual([
    { ...sender, method: 'POST', route: '/api/notes', status: 200, id },
    { ...note, method: 'PUT', status: 200, id },
    { ...note, method: 'PATCH', route: '/api/notes/:id/archive', status: 200, id },
    { ...note, method: 'PATCH', route: '/api/notes/:id/unarchive', status: 404, id: 77 },
    { ...sender, method: 'POST', route: '/api/notes', status: 400 },
    { ...sender, token: 'bob', method: 'POST', route: '/api/notes', status: 403 },
    { ...sender, method: 'PUT', route: '/api/labels', status: 200 },
    { ...sender, method: 'POST', route: '/merge', status: 200, merged: 2 },
    { ...sender, method: 'POST', route: '/merge', status: 200, merged: 0 },
    { ...sender, method: 'MCP create', route: '/mcp', status: 200, id: 7 },
    { ...sender, method: 'MCP update', route: '/mcp', status: 412, id: 7 },
  ]);
  expect(text).not.toMatch(/token-of|secret text|By a program/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('goes to standard output, too, and a file that cannot be written ends the start', async () => {
  using folder = createTemporaryFolder();

  const { code, stderr } = await runNotesCommand([
    'serve',
    '--db',
    'sqlite::memory:',
    '--port',
    '0',
    '--audit-log',
    folder.path,
  ]);

  await using onOutput = await startService({ AUDIT_LOG: '-' });
  await fetch(`${onOutput.url}/api/notes`, createJsonRequest(createDraft()));
  const exitCode = await onOutput.stop();

  expect(exitCode).toBe(0);
  expect(await isEventuallyTrue(() => onOutput.log.some((line) => line.includes('"method":"POST"')))).toBe(true);
  expect(code).toBe(1);
  expect(stderr).toContain('The audit log cannot be written (AUDIT_LOG): EISDIR');
});

test('lets no request wait for a reader that does not read, bounds what waits, and says what is missing', async () => {
  using folder = createTemporaryFolder();
  const pipe = join(folder.path, 'audit');
  Bun.spawnSync(['mkfifo', pipe]);
  const silent = openSync(pipe, constants.O_RDWR); // a reader that does not read
  await using service = await startService({ AUDIT_LOG: pipe });
  const count = 12_000; // lines of about 110 characters: more than a pipe and 1 MiB hold

  let asked = 0;
  const client = async () => {
    while (asked++ < count) {
      expect((await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()))).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: 64 }, client));
  const reader = Bun.spawn(['cat', pipe], { stdout: 'pipe' });
  const hasRecovered = await isEventuallyTrue(() => service.log.join().includes('The audit log is written again'));
  await service.stop();
  closeSync(silent);

  const lines = (await reader.stdout.text()).trimEnd().split('\n').map(timeless);
  const [{ missing }, ...others] = lines.filter((line) => 'missing' in line);
  expect([hasRecovered, others]).toEqual([true, []]);
  expect(missing).toBeGreaterThan(0);
  expect(lines.length - 1 + missing).toBe(count);
  expect(service.log.join()).toContain('The audit log is written too slowly: from now on, writes are missing in it');
  expect(service.log.join()).toContain(`${missing} writes are missing in it`);
}, 60_000);

test('goes on when the reader of its pipe was replaced, and loses no line', async () => {
  using folder = createTemporaryFolder();
  const pipe = join(folder.path, 'audit');
  Bun.spawnSync(['mkfifo', pipe]);
  const first = openSync(pipe, constants.O_RDWR);
  await using service = await startService({ AUDIT_LOG: pipe });
  const create = () => fetch(`${service.url}/api/notes`, createJsonRequest(createDraft()));
  closeSync(first);

  await create();
  const isWarned = await isEventuallyTrue(() => service.log.join().includes('The audit log cannot be written: EPIPE'));
  const second = Bun.spawn(['cat', pipe], { stdout: 'pipe' });
  await create();
  await service.stop();

  const lines = (await second.stdout.text()).trimEnd().split('\n').map(timeless);
  expect([isWarned, lines.map(({ id }) => id)]).toEqual([true, [1, 2]]);
});
