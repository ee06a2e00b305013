import { expect, test } from 'bun:test';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { createJsonRequest, readNotesBody } from '../../../../test/support/service.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

/** An application with notes 1 to 3 of the titles one, two and three, and labels for two groups and a category. */
async function open() {
  const store = await openSqlite({ path: ':memory:' });
  await store.setLabels({
    first: 'Deep Work',
    second: 'Home',
    third: null,
    fourth: null,
    fifth: null,
    prompts: 'My Questions',
  });
  for (const [index, title] of ['one', 'two', 'three'].entries())
    await store.create(
      createDraft({ title, group: index < 2 ? 'first' : 'second', category: index < 1 ? 'prompts' : 'css' }),
    );
  return callApp(store);
}

test.each([
  ['q=two', [2], 1],
  ['q=content&limit=2', [2, 3], 3],
  ['q=nowhere+at+all', [], 0],
  ['group=deep+work', [1, 2], 2],
  ['q=g:deep-work', [1, 2], 2],
  ['category=my+questions', [1], 1],
  ['q=c:my-questions,notes', [1], 1],
  ['category=prompts', [1], 1],
  ['group=second&unknown=x', [3], 1],
])('%s finds the notes %j of %d', async (query, ids, total) => {
  await using app = await open();

  const response = await app.request(`/api/search?${query}`);

  expect(response.status).toBe(200);
  expect(response.headers.get('notes-found')).toBe(String(total));
  expect((await readNotesBody(response)).map(({ id }) => id).sort()).toEqual(ids);
});

const limitError = 'Invalid limit. Must be an integer from 1 to 1000';
const queryError = 'Invalid q. Must be given once, with at most 1000 characters';
const archivedError = 'Invalid archived. Must be one of: true, false';
const groupError = 'Invalid group. Must be one of: first, Deep Work, second, Home, third, fourth, fifth';

test.each([
  ['limit=0', limitError],
  ['limit=1001', limitError],
  ['limit=1&limit=2', limitError],
  ['category=x', /^Invalid category\. Must be one of: css, host-town, prompts, My Questions, /],
  ['category=css&category=css', /^Invalid category/],
  ['group=play', groupError],
  ['group=first&group=first', /^Invalid group/],
  ['archived=1', archivedError],
  ['q=a&q=b', queryError],
  [`q=${'x'.repeat(1_001)}`, queryError],
])('%s is rejected', async (query, sentence) => {
  await using app = await open();

  const response = await app.request(`/api/search?${query}`);

  const error = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence);
  expect([response.status, await response.json()]).toEqual([400, { error }]);
});

test('only GET searches, and the list knows neither query, limit nor the names of groups', async () => {
  await using app = await open();

  const posted = await app.request('/api/search', createJsonRequest({ q: 'two' }));
  const listed = await app.request('/api/notes?q=a&q=b&limit=x');
  const named = await app.request('/api/notes?group=deep+work');

  expect([posted.status, await posted.json()]).toEqual([404, { error: 'No such endpoint: POST /api/search' }]);
  expect([listed.status, (await readNotesBody(listed)).length, named.status]).toEqual([200, 3, 400]);
});
