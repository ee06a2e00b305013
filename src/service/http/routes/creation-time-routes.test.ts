import { expect, test } from 'bun:test';
import { createPortableNote } from '../../../../test/support/sample-notes.ts';
import { createJsonRequest } from '../../../../test/support/service.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { maxCreated } from '../../../core/store.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

const time = createPortableNote(1).createdAt;

/** An application with notes 1 and 2. */
async function open() {
  const store = await openSqlite({ path: ':memory:' });
  await store.merge([createPortableNote(1), createPortableNote(2)]);
  return callApp(store, { maxBodyBytes: 8 * 1024 * 1024 });
}

test.each<[object, number[]]>([
  [{ times: [time] }, [1, 2]],
  [{ times: [time], after: 1 }, [2]],
  [{ times: [] }, []],
])('POST /created with %j finds the notes %j', async (body, ids) => {
  await using app = await open();

  const response = await app.request('/created', createJsonRequest(body));

  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const found = (await response.json()) as { readonly id: number }[];
  expect(found.map(({ id }) => id)).toEqual(ids);
});

const wrongTimes = 'Must hold an array "times" of at most 5000 times of creation';

test.each<[string, unknown, string]>([
  ['no times', {}, wrongTimes],
  ['another time', { times: ['2020-01-01'] }, wrongTimes],
  ['too many times', { times: Array(maxCreated.times + 1).fill(time) }, wrongTimes],
  ['a negative id', { times: [time], after: -1 }, 'Invalid after. Must be an id, or 0'],
  ['a text for an id', { times: [time], after: '1' }, 'Invalid after. Must be an id, or 0'],
])('POST /created rejects a body with %s', async (_, body, error) => {
  await using app = await open();

  const response = await app.request('/created', createJsonRequest(body));

  expect([response.status, await response.json()]).toEqual([400, { error }]);
});
