import { expect, test } from 'bun:test';
import { createJsonRequest } from '../../../../test/support/service.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { noLabels } from '../../../core/value-labels.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

const path = '/api/labels';
const open = async () => callApp(await openSqlite({ path: ':memory:' }));

test('PUT replaces all labels, GET returns an entry for each group, and 304 while nothing has changed', async () => {
  await using app = await open();

  await app.request(path, createJsonRequest({ first: ' Work ', third: 'Private' }, 'PUT'));
  const response = await app.request(path, createJsonRequest({ first: 'Work', second: null }, 'PUT'));
  const read = await app.request(path);
  const headers = { 'If-None-Match': read.headers.get('etag') ?? '' };
  const unchanged = await app.request(path, { headers });
  await app.request(path, createJsonRequest({}, 'PUT'));
  const changed = await app.request(path, { headers });

  expect([response.status, await response.json()]).toEqual([200, { ...noLabels, first: 'Work' }]);
  expect(await read.json()).toEqual({ ...noLabels, first: 'Work' });
  expect([unchanged.status, await unchanged.text(), changed.status]).toEqual([304, '', 200]);
  expect(await changed.json()).toEqual(noLabels);
});

test('PUT keeps the labels of categories that the body does not name, and null removes one', async () => {
  await using app = await open();

  await app.request(path, createJsonRequest({ first: 'Work', css: ' Styles ', prompts: 'Questions' }, 'PUT'));
  const ofGroups = await app.request(path, createJsonRequest({ second: 'Home' }, 'PUT'));
  const removed = await app.request(path, createJsonRequest({ second: 'Home', css: null }, 'PUT'));

  expect(await ofGroups.json()).toEqual({ ...noLabels, second: 'Home', css: 'Styles', prompts: 'Questions' });
  expect(await removed.json()).toEqual({ ...noLabels, second: 'Home', prompts: 'Questions' });
  expect(await (await app.request(path)).json()).toEqual({ ...noLabels, second: 'Home', prompts: 'Questions' });
});

test.each<[string, RequestInit, number, string]>([
  [
    'an ambiguous label',
    createJsonRequest({ first: 'Work', second: 'WORK' }, 'PUT'),
    400,
    'Invalid second. Must differ from first and its label',
  ],
  [
    'a label of a category that a group has',
    createJsonRequest({ first: 'Home', css: 'home' }, 'PUT'),
    400,
    'Invalid css. Must differ from first and its label',
  ],
  [
    'a label of an unknown value',
    createJsonRequest({ first: 'Home', news: 'x' }, 'PUT'),
    400,
    'Unknown field news. Must be one of: first, second, third, fourth, fifth, css, host-town, prompts, notes, chat-tool, editor-chats, bash-commands',
  ],
  ['a body of another type', { method: 'PUT', body: '{}' }, 400, 'Content-Type must be application/json'],
  ['another method', createJsonRequest({}), 404, 'No such endpoint: POST /api/labels'],
])('%s is rejected, and changes nothing', async (_, init, status, error) => {
  await using app = await open();
  await app.request(path, createJsonRequest({ first: 'Home' }, 'PUT'));

  const response = await app.request(path, init);

  expect([response.status, await response.json()]).toEqual([status, { error }]);
  expect(await (await app.request(path)).json()).toEqual({ ...noLabels, first: 'Home' });
});
