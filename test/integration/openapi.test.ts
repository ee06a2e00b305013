/** The OpenAPI document is true: every documented status can occur, and every answer has the documented shape. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { AccessToken } from '../../src/core/setting-values.ts';
import { createOpenApiDocument } from '../../src/service/http/docs/openapi-document.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody } from '../support/service.ts';
import { createAccess, type ServedApp, serveApp } from '../support/stores/stores.ts';

interface DocumentedResponse {
  readonly content?: Record<string, { schema: object; example?: unknown }>;
  readonly headers?: Record<string, { required?: boolean; schema: { type: string } }>;
}
interface Operation {
  readonly responses: Record<string, DocumentedResponse | { $ref: string }>;
  readonly requestBody?: { content: Record<string, { schema: object; example: unknown }> };
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[];
  readonly security?: readonly object[];
}
const document = createOpenApiDocument() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, DocumentedResponse> };
};
/** A response, or the component that it names. */
function resolveResponse(response: DocumentedResponse | { $ref: string }): DocumentedResponse {
  if (!('$ref' in response)) return response;
  return document.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? {};
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => method !== 'parameters')
    .map(([method, { responses, requestBody }]) => ({
      ...{ name: `${method.toUpperCase()} ${path}`, path, requestBody },
      responses: Object.entries(responses).map(([status, response]) => ({ status, ...resolveResponse(response) })),
    })),
);

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
ajv.addSchema({ ...document, $id: 'openapi' });
/** Validates a value against a schema whose references point into the document. */
function expectValid(schema: object, value: unknown): void {
  const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
  const validate = ajv.compile(rooted);
  expect({ valid: validate(value), errors: validate.errors, value }).toMatchObject({ valid: true });
}

/**
 * How to get each status of each operation; `service` names one with a closed store, without a log of changes, or with
 * a token.
 */
type Kind = 'open' | 'closed' | 'unlogged' | 'guarded';
type Recipe = (id: number, updatedAt: string) => { path?: string; init?: RequestInit; service?: Kind };
const badHost: Recipe = () => ({ init: { headers: { Host: 'evil.example' } } });
const closed: Recipe = () => ({ service: 'closed' });
const missing = '/api/notes/999';
const patch = { method: 'PATCH' };

const archiving = (verb: string): Record<string, Recipe> => ({
  200: () => ({ init: patch }),
  400: () => ({ init: { ...patch, headers: { Host: 'evil.example' } } }),
  404: () => ({ path: `${missing}/${verb}`, init: patch }),
  412: () => ({ init: { ...patch, headers: { 'If-Match': '"x"' } } }),
  500: () => ({ init: patch, service: 'closed' }),
});
const time = '2026-03-01T09:30:00.000Z';
const kept = { ...createDraft(), id: 7, archived: true, createdAt: time, updatedAt: time };
const updated = (id: number) => createJsonRequest({ id, title: 'b' }, 'PUT');

const wrongToken = ['Authorization', 'Bearer a-wrong-token'] as const;
const withHeader =
  (recipe: Recipe, name: string, value: string): Recipe =>
  (id, updatedAt) => {
    const { init = {}, ...request } = recipe(id, updatedAt);
    const headers = new Headers(init.headers);
    headers.set(name, value);
    return { ...request, init: { ...init, headers } };
  };

/** The same request without a token, from a page of another origin, and with another wrong token. */
const rejected = (recipe: Recipe): Record<string, Recipe> => ({
  401: (id, updatedAt) => ({ ...recipe(id, updatedAt), service: 'guarded' }),
  403: withHeader(recipe, 'Origin', 'http://evil.example'),
  429: withHeader((id, updatedAt) => ({ ...recipe(id, updatedAt), service: 'guarded' }), ...wrongToken),
});

const recipesOfHandlers: Record<string, Record<string, Recipe>> = {
  'GET /api/notes': {
    200: () => ({}),
    304: () => ({ init: { headers: { 'If-None-Match': 'current' } } }),
    400: () => ({ path: '/api/notes?group=x' }),
    500: closed,
  },
  'HEAD /api/notes': {
    200: () => ({ init: { method: 'HEAD' } }),
    304: () => ({ init: { method: 'HEAD', headers: { 'If-None-Match': 'current' } } }),
    400: () => ({ path: '/api/notes?group=x', init: { method: 'HEAD' } }),
    500: () => ({ init: { method: 'HEAD' }, service: 'closed' }),
  },
  'POST /api/notes': {
    200: () => ({ init: createJsonRequest(createDraft()) }),
    400: () => ({ init: createJsonRequest({}) }),
    500: () => ({ init: createJsonRequest(createDraft()), service: 'closed' }),
  },
  'GET /api/notes/{id}': {
    200: () => ({}),
    304: (_, updatedAt) => ({ init: { headers: { 'If-None-Match': `"${updatedAt}"` } } }),
    400: badHost,
    404: () => ({ path: missing }),
    500: closed,
  },
  'GET /api/notes/{id}/history': {
    200: () => ({}),
    400: (id) => ({ path: `/api/notes/${id}/history?limit=0` }),
    404: () => ({ path: `${missing}/history` }),
    500: closed,
  },
  'PUT /api/notes/{id}': {
    200: (id) => ({ init: updated(id) }),
    400: () => ({ init: createJsonRequest({}, 'PUT') }),
    404: () => ({ path: missing, init: updated(999) }),
    412: (id) => ({ init: { ...updated(id), headers: { 'Content-Type': 'application/json', 'If-Match': '"x"' } } }),
    500: (id) => ({ init: updated(id), service: 'closed' }),
  },
  'PATCH /api/notes/{id}/archive': archiving('archive'),
  'PATCH /api/notes/{id}/unarchive': archiving('unarchive'),
  'GET /api/events': { 200: () => ({}), 400: badHost, 501: () => ({ service: 'unlogged' }), 503: closed },
  'GET /api/search': { 200: () => ({}), 400: () => ({ path: '/api/search?limit=0' }), 500: closed },
  'GET /api/labels': {
    200: () => ({}),
    304: () => ({ init: { headers: { 'If-None-Match': '*' } } }),
    400: badHost,
    500: closed,
  },
  'PUT /api/labels': {
    200: () => ({ init: createJsonRequest({ first: 'Work' }, 'PUT') }),
    400: () => ({ init: createJsonRequest({ first: '' }, 'PUT') }),
    500: () => ({ init: createJsonRequest({}, 'PUT'), service: 'closed' }),
  },
  'GET /api/pins': {
    200: () => ({}),
    304: () => ({ init: { headers: { 'If-None-Match': '*' } } }),
    400: badHost,
    500: closed,
  },
  'PUT /api/pins': {
    200: (id) => ({ init: createJsonRequest({ ids: [id] }, 'PUT') }),
    400: () => ({ init: createJsonRequest({ ids: [999] }, 'PUT') }),
    412: withHeader((id) => ({ init: createJsonRequest({ ids: [id] }, 'PUT') }), 'If-Match', '"x"'),
    500: () => ({ init: createJsonRequest({ ids: [] }, 'PUT'), service: 'closed' }),
  },
  'POST /merge': {
    200: () => ({ init: createJsonRequest({ notes: [kept] }) }),
    400: () => ({ init: createJsonRequest({ notes: [{}] }) }),
    500: () => ({ init: createJsonRequest({ notes: [kept] }), service: 'closed' }),
  },
  'GET /healthz': { 200: () => ({}), 400: badHost },
  'GET /readyz': { 200: () => ({}), 400: badHost, 503: closed },
  'GET /metrics': { 200: () => ({}), 400: badHost },
};
const recipes: Record<string, Record<string, Recipe>> = Object.fromEntries(
  Object.entries(recipesOfHandlers).map(([name, statuses]) => {
    const rejections = rejected(statuses[200] ?? (() => ({})));
    const isForEverybody = name === 'GET /healthz' || name === 'GET /readyz';
    const expected = Object.entries(rejections).filter(([status]) => status === '403' || !isForEverybody);
    return [name, { ...statuses, ...Object.fromEntries(expected) }];
  }),
);

/** The body; of an endless one, its first chunk. */
async function readTextOrFirstEvent(answer: Response): Promise<string> {
  if (answer.headers.get('content-type') !== 'text/event-stream') return answer.text();
  for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) return text;
  return '';
}

const cases = operations.flatMap(({ name, path, responses }) =>
  responses.map((response) => ({ name, path, status: response.status, response })),
);

describe('every documented status occurs and has the documented shape', () => {
  let open: ServedApp;
  let stopped: ServedApp;
  let unlogged: ServedApp;
  let guarded: ServedApp;
  beforeAll(async () => {
    const engine = await openSqlite({ path: ':memory:' });
    open = serveApp(engine);
    unlogged = serveApp(Object.create(engine, { feed: { value: undefined } }));
    const store = await openSqlite({ path: ':memory:' });
    stopped = serveApp(store, {}, { streams: { stopping: AbortSignal.abort(), countStuck: () => 0 } });
    const token: AccessToken = { name: 'one', rights: 'full', token: 'correct-horse-battery' };
    guarded = serveApp(engine, {}, { access: await createAccess(engine, [token]) });
    await store[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await unlogged.stop();
    await guarded.stop();
    await open[Symbol.asyncDispose]();
    await stopped.stop();
  });

  test.each(cases)('$name: $status', async ({ name, path, status, response }) => {
    const note = await readNoteBody(fetch(`${open.url}/api/notes`, createJsonRequest(createDraft())));
    const recipe = recipes[name]?.[status]?.(note.id, note.updatedAt);
    expect(recipe).toBeDefined();
    const { path: asked = path.replace('{id}', String(note.id)), init = {}, service = 'open' } = recipe ?? {};
    const headers = new Headers(init.headers);
    if (headers.get('If-None-Match') === 'current') headers.set('If-None-Match', await readListTag(open.url));

    const { url } = { open, closed: stopped, unlogged, guarded }[service];
    for (let guess = 0; status === '429' && guess < 10; guess++)
      await fetch(`${url}${asked}`, { headers: [[...wrongToken]] });
    const answer = await fetch(`${url}${asked}`, { ...init, headers });

    expect(String(answer.status)).toBe(status);
    expectValidHeaders(response, answer.headers);
    const text = await readTextOrFirstEvent(answer);
    const [type = '', content] = Object.entries(response.content ?? {})[0] ?? [];
    if (content === undefined || name.startsWith('HEAD')) return expect(text).toBe('');
    expect(answer.headers.get('content-type')).toStartWith(type);
    expectValid(content.schema, type === 'application/json' ? JSON.parse(text) : text);
  });
});

async function readListTag(url: string): Promise<string> {
  const response = await fetch(`${url}/api/notes`);
  return response.headers.get('etag') ?? '';
}

function expectValidHeaders(response: (typeof cases)[number]['response'], headers: Headers): void {
  for (const [header, { required, schema }] of Object.entries(response.headers ?? {})) {
    const value = headers.get(header);
    if (required) expect(value).not.toBeNull();
    if (value !== null) expectValid(schema, schema.type === 'integer' ? Number(value) : value);
  }
}

test('every example is valid', () => {
  for (const { requestBody, responses } of operations) {
    const contents = [requestBody, ...responses].flatMap((part) => Object.values(part?.content ?? {}));
    for (const { schema, example } of contents) if (example !== undefined) expectValid(schema, example);
  }
});

test('the document has exactly the operations and statuses that the recipes cover', () => {
  const documented = Object.fromEntries(
    operations.map(({ name, responses }) => [name, responses.map(({ status }) => status)]),
  );
  const known = Object.fromEntries(Object.entries(recipes).map(([name, statuses]) => [name, Object.keys(statuses)]));
  expect(documented).toEqual(known);
});

test('Redocly finds no problems in it', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });

  const problems = await lintFromString({ source: JSON.stringify(document), config });

  expect(problems.map((problem) => `${problem.ruleId}: ${problem.message} ${problem.location[0]?.pointer}`)).toEqual(
    [],
  );
});

test('the service serves it', async () => {
  await using open = serveApp(await openSqlite({ path: ':memory:' }));

  const answer = await fetch(`${open.url}/openapi.json`);

  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(document)));
});

test('generated clients ask for archived notes with a boolean, and for health without a token', () => {
  const parameters = Object.values(document.paths).flatMap((path) => path['get']?.parameters ?? []);
  const withoutToken = Object.entries(document.paths).filter(([, path]) => path['get']?.security?.length === 0);

  const archived = parameters.filter(({ name }) => name === 'archived');
  expect(archived.map(({ schema }) => schema)).toEqual(Array(2).fill({ type: 'boolean' }));
  expect(withoutToken.map(([path]) => path)).toEqual(['/healthz', '/readyz']);
});
