import { expect, test } from 'bun:test';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

const open = async (mode: 'read' | 'write' = 'read') => {
  const store = await openSqlite({ path: ':memory:' });
  return { store, app: callApp(store, { maxBodyBytes: 1000 }, mode) };
};

const message = (body: string, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
  body,
});

const calling = (name: string, given: object) =>
  message(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }));

test('a call gets a response without a handshake, and cannot be rendered as a page', async () => {
  const { store, app } = await open();
  await using _app = app;
  await store.create(createDraft({ title: 'Undo a commit' }));

  const response = await app.request('/mcp', calling('search', {}));

  expect([response.status, response.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
  expect(response.headers.get('mcp-session-id')).toBeNull();
  expect(await response.text()).toContain('Undo a commit');
});

test.each(['read', 'write'] as const)('the mode %s decides whether notes can be written', async (mode) => {
  const { store, app } = await open(mode);
  await using _app = app;

  const response = await app.request('/mcp', calling('create', createDraft()));

  expect(await response.text()).toContain(mode === 'write' ? '"structuredContent"' : 'error');
  expect(await store.list()).toHaveLength(mode === 'write' ? 1 : 0);
});

test('a note without title and fields gets the first line and the defaults of the command line', async () => {
  const { store, app } = await open('write');
  await using _app = app;

  const response = await app.request('/mcp', calling('create', { content: '\n  git stash\nputs changes away' }));
  await response.text();

  const [note] = await store.list();
  expect(note).toMatchObject({ title: 'git stash', category: 'notes', group: 'first', color: 'neutral' });
});

test.each([
  ['get', { id: '7' }, 'Invalid id. Must be of type number'],
  ['get', {}, 'Missing argument id'],
  ['get', { id: 1, path: '/etc' }, 'Unknown argument path'],
  ['search', { limit: 51 }, 'Invalid limit. Must be at most 50'],
  ['create', { title: 'a' }, 'Missing argument content'],
  ['update', { id: 1, title: 'x' }, 'Missing argument updatedAt'],
])('%s with %j is rejected by a sentence', async (name, given, sentence) => {
  const { app } = await open('write');
  await using _app = app;

  const response = await (await app.request('/mcp', calling(name, given))).text();

  expect(response).toContain(`tool ${name}: ${sentence}"`);
});

test.each([
  ['{"jsonrpc": "2.0",', 'Malformed JSON in request body'],
  [' '.repeat(1_001), 'Request body must not be larger than 1000 bytes (MAX_BODY_BYTES)'],
])('the body %j gets status 400', async (body, error) => {
  const { app } = await open();
  await using _app = app;

  const response = await app.request('/mcp', message(body));

  expect([response.status, await response.json()]).toEqual([400, { error }]);
});

test('another content type gets status 400, and GET and DELETE 405', async () => {
  const { app } = await open();
  await using _app = app;

  const plain = await app.request('/mcp', message('{}', { 'Content-Type': 'text/plain' }));
  const [got, deleted] = await Promise.all(['GET', 'DELETE'].map((method) => app.request('/mcp', { method })));

  expect([plain.status, await plain.json()]).toEqual([400, { error: 'Content-Type must be application/json' }]);
  expect([got?.status, deleted?.status, got?.headers.get('allow')]).toEqual([405, 405, 'POST']);
  expect(await (await app.request('/metrics')).text()).toContain('/mcp');
});

test('says how it is switched on while it is off', async () => {
  await using app = callApp(await openSqlite({ path: ':memory:' }));

  const responses = await Promise.all(['POST', 'GET'].map((method) => app.request('/mcp', { method })));

  expect(responses.map(({ status }) => status)).toEqual([404, 404]);
  expect(await responses[0]?.json()).toEqual({ error: expect.stringContaining('MCP=read or --mcp read') });
});
