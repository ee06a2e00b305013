/** An import reads of a store what its records could be of, and not all of its notes. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createPortableClient } from '../../src/client/portable-client.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { importSource, writeFileAndFolders } from '../support/data/sources.ts';
import { createPortableNote } from '../support/sample-notes.ts';
import { createTemporaryFolder } from '../support/service.ts';
import { startCountingRelay } from '../support/stores/counting-relay.ts';
import { serveApp } from '../support/stores/stores.ts';

test('to import a file into a service with 2,000 notes, once more and changed, reads a few of them', async () => {
  using folder = createTemporaryFolder();
  const store = await openSqlite({ path: ':memory:' });
  await store.merge(Array.from({ length: 2_000 }, (_, n) => createPortableNote(n + 1, { content: 'x'.repeat(500) })));
  await using app = serveApp(store, { maxBodyBytes: 8 * 1024 * 1024 });
  await using relay = startCountingRelay(app.url);
  const client = createPortableClient(relay.url);
  const file = join(folder.path, 'Soup.md');

  const reports = [];
  for (const text of ['Boil water', 'Boil water', 'Boil two litres of water']) {
    reports.push(await importSource(client, writeFileAndFolders(file, text)));
  }

  expect(reports.map(({ added, unchanged, updated }) => [added, unchanged, updated])).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]);
  expect(relay.bytes).toBeLessThan(2_000);
});
