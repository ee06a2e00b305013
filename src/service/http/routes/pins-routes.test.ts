import { expect, test } from 'bun:test';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { createJsonRequest } from '../../../../test/support/service.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

const path = '/api/pins';

/** Opens an application with notes 1 to 3. */
async function openApp() {
  const store = await openSqlite({ path: ':memory:' });
  for (let n = 1; n <= 3; n++) await store.create(createDraft());
  return callApp(store);
}

const putPins = (ids: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'PUT',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify({ ids }),
});

test('PUT replaces all pins, GET returns them in order with a strong entity tag, and 304 while they are the same', async () => {
  await using app = await openApp();
  await app.request(path, putPins([2]));

  const written = await app.request(path, putPins([3, 1]));
  const read = await app.request(path);
  const etag = read.headers.get('etag') ?? '';
  const unchanged = await app.request(path, { headers: { 'If-None-Match': etag } });
  await app.request(path, putPins([]));
  const changed = await app.request(path, { headers: { 'If-None-Match': etag } });

  expect([written.status, await written.text(), written.headers.get('etag')]).toEqual([200, '{"ids":[3,1]}', etag]);
  expect(await read.json()).toEqual({ ids: [3, 1] });
  expect(etag).toMatch(/^"\w+"$/);
  expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', etag]);
  expect([changed.status, await changed.json()]).toEqual([200, { ids: [] }]);
});

test('with If-Match, PUT replaces the pins that the client has read, and no others', async () => {
  await using app = await openApp();
  const empty = (await app.request(path)).headers.get('etag') ?? '';

  const first = await app.request(path, putPins([1], { 'If-Match': empty }));
  const second = await app.request(path, putPins([2], { 'If-Match': empty }));
  const weak = await app.request(path, putPins([2], { 'If-Match': `W/${first.headers.get('etag')}` }));
  const any = await app.request(path, putPins([3], { 'If-Match': '*' }));

  expect([first.status, any.status]).toEqual([200, 200]);
  const rejection = [412, { error: 'The pins have changed since they were read' }];
  expect([second.status, await second.json()]).toEqual(rejection);
  expect([weak.status, await weak.json()]).toEqual(rejection);
  expect([second.headers.get('notes-outcome'), await (await app.request(path)).json()]).toEqual(['none', { ids: [3] }]);
});

test.each<[string, RequestInit, number, string]>([
  ['an unknown id', putPins([1, 7]), 400, 'Invalid ids. Note with ID 7 not found'],
  ['a repeated id', putPins([1, 2, 1]), 400, 'Invalid ids. Must not contain 1 twice'],
  ['what is no list', putPins('1'), 400, 'Invalid ids. Must be an array of at most 100 ids of notes'],
  ['a body without ids', createJsonRequest({}, 'PUT'), 400, 'Missing required fields: ids'],
  [
    'an unknown id, whatever the client has read',
    putPins([7], { 'If-Match': '"x"' }),
    400,
    'Invalid ids. Note with ID 7 not found',
  ],
  ['a body of another type', { method: 'PUT', body: '{}' }, 400, 'Content-Type must be application/json'],
  [
    'an If-Match that is no tag',
    putPins([1], { 'If-Match': 'x' }),
    400,
    'Invalid If-Match. Must be * or entity tags in double quotes',
  ],
  ['another method', createJsonRequest({ ids: [] }), 404, 'No such endpoint: POST /api/pins'],
])('%s is rejected, and changes nothing', async (_, init, status, error) => {
  await using app = await openApp();
  await app.request(path, putPins([2]));

  const response = await app.request(path, init);

  expect([response.status, await response.json()]).toEqual([status, { error }]);
  expect(await (await app.request(path)).json()).toEqual({ ids: [2] });
});
