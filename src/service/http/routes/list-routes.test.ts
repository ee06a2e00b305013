import { expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { createDraft } from '../../../../test/support/sample-notes.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

/** An application with a short note, and one that is longer than lists that are sent uncompressed. */
async function open() {
  const store = await openSqlite({ path: ':memory:' });
  await store.create(createDraft({ category: 'css' }));
  await store.create(createDraft({ content: 'long '.repeat(5_000) }));
  return callApp(store);
}

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
  expect([plain, long, short].map((response) => response?.headers.get('vary'))).toEqual(
    Array(3).fill('Accept-Encoding'),
  );
  expect(gunzipSync((await long?.bytes()) ?? '').toString()).toBe(await plain.text());
  expect(tag).toBe(plain.headers.get('etag')?.replace(/"$/, '.gzip"') ?? '');
  expect([unchanged.status, unchanged.headers.get('etag')]).toEqual([304, tag]);
});
