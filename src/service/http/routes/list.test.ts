import { expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { draft, jsonBody, notesIn } from '../../../../test/support/service.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { openSqlite } from '../../../store/sqlite/open.ts';

/** An application with four notes; the last one is longer than lists that are sent uncompressed. */
async function open() {
  const store = await openSqlite({ path: ':memory:' });
  await store.create(draft({ category: 'css', group: 'first' }));
  await store.create(draft({ category: 'css', group: 'second' }));
  await store.create(draft({ category: 'prompts', group: 'first' }));
  await store.create(draft({ category: 'notes', group: 'fifth', content: 'long '.repeat(5_000) }));
  await store.setArchived(2, true);
  return callApp(store);
}

test.each<[string, number[]]>([
  ['', [1, 2, 3, 4]],
  ['?category=css', [1, 2]],
  ['?category=css&group=second&archived=true', [2]],
  ['?archived=false&color=x', [1, 3, 4]],
  ['?category=host-town', []],
])('GET /api/notes%s lists the notes that match, in order of id', async (query, ids) => {
  await using app = await open();

  const answer = await app.request(`/api/notes${query}`);

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect((await notesIn(answer)).map(({ id }) => id)).toEqual(ids);
});

test('a wrong filter is refused, each time it comes', async () => {
  await using app = await open();

  for (let time = 0; time < 2; time++) {
    const answer = await app.request('/api/notes?group=sixth');

    const error = 'Invalid group. Must be one of: first, second, third, fourth, fifth';
    expect([answer.status, await answer.json()]).toEqual([400, { error }]);
  }
});

test('a list is 304 while it has not changed, and its tag is another after a write', async () => {
  await using app = await open();
  const tag = (await app.request('/api/notes?category=css')).headers.get('etag') ?? '';
  const again = (known: string) => app.request('/api/notes?category=css', { headers: { 'If-None-Match': known } });

  const [same, any, other] = await Promise.all([`"x", ${tag}`, '*', '"x"'].map(again));
  await app.request('/api/notes', jsonBody(draft({ category: 'css' })));
  const changed = await again(tag);

  expect([same?.status, any?.status, other?.status, changed.status]).toEqual([304, 304, 200, 200]);
  expect([same?.headers.get('etag'), await same?.text()]).toEqual([tag, '']);
  expect(changed.headers.get('etag')).not.toBe(tag);
});

test('a long list is compressed for those who accept it, under a tag of its own; a short one never', async () => {
  await using app = await open();
  const gzip = { 'Accept-Encoding': 'gzip' };
  const plain = await app.request('/api/notes');

  const [long, short] = await Promise.all(
    ['/api/notes', '/api/notes?category=css'].map((path) => app.request(path, { headers: gzip })),
  );
  const tag = long?.headers.get('etag') ?? '';
  const unchanged = await app.request('/api/notes', { headers: { ...gzip, 'If-None-Match': tag } });

  expect(long?.headers.get('content-encoding')).toBe('gzip');
  expect(short?.headers.get('content-encoding')).toBeNull();
  expect([plain, long, short].map((answer) => answer?.headers.get('vary'))).toEqual(Array(3).fill('Accept-Encoding'));
  expect(gunzipSync((await long?.bytes()) ?? '').toString()).toBe(await plain.text());
  expect(tag).toBe(plain.headers.get('etag')?.replace(/"$/, '.gzip"') ?? '');
  expect([unchanged.status, unchanged.headers.get('etag')]).toEqual([304, tag]);
});

test('HEAD has the headers of GET, the length included, and no body', async () => {
  await using app = await open();
  const get = await app.request('/api/notes');

  const head = await app.request('/api/notes', { method: 'HEAD' });

  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(head.headers.get('content-length')).toBe(String((await get.bytes()).length));
  for (const name of ['content-type', 'etag', 'vary', 'cache-control'])
    expect(head.headers.get(name)).toBe(get.headers.get(name));
});
