import { describe, expect, test } from 'bun:test';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { createJsonRequest } from '../../../../test/support/service.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import type { Note } from '../../../core/note.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

/** An application with a note 1 whose title has changed three times. */
async function openChanged() {
  const store = await openSqlite({ path: ':memory:' });
  await store.create(createDraft({ title: '0' }));
  for (const title of ['1', '2', '3']) await store.update(1, { title });
  return callApp(store);
}

describe('GET /api/notes/<id>/history', () => {
  test.each([
    ['', ['2', '1', '0']],
    ['?limit=2', ['2', '1']],
    ['?limit=10000&unknown=1', ['2', '1', '0']],
  ])('with %p returns versions, newest first', async (query, titles) => {
    await using app = await openChanged();

    const response = await app.request(`/api/notes/1/history${query}`);

    const versions = (await response.json()) as Note[];
    expect(versions.map(({ title }) => title)).toEqual(titles);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  test.each([
    ['/api/notes/2/history', 404, 'Note with ID 2 not found'],
    ['/api/notes/1/history?limit=0', 400, 'Invalid limit. Must be an integer from 1 to 10000'],
  ])('%s gets status %d', async (path, status, error) => {
    await using app = await openChanged();

    const response = await app.request(path);

    expect([response.status, await response.json()]).toEqual([status, { error }]);
  });

  test('of a note that was never changed is an empty array, and HEAD has no body', async () => {
    await using app = await openChanged();
    await app.request('/api/notes', createJsonRequest(createDraft()));

    const [response, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => app.request('/api/notes/2/history', { method })),
    );

    expect(await response?.text()).toBe('[]');
    expect([head?.status, await head?.text()]).toEqual([200, '']);
  });
});
