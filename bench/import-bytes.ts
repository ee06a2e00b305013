/**
 * Prints how many bytes an import of one file reads from a service with 20,000 notes of 519 characters, the first time,
 * unchanged, and changed: `npx bun bench/import-bytes.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPortableClient } from '../src/client/portable-client.ts';
import { openSqlite } from '../src/store/open-sqlite.ts';
import { importSource, writeFileAndFolders } from '../test/support/data/sources.ts';
import { createPortableNote } from '../test/support/sample-notes.ts';
import { startCountingRelay } from '../test/support/stores/counting-relay.ts';
import { serveApp } from '../test/support/stores/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'notes-import-'));
const store = await openSqlite({ path: join(folder, 'notes.db') });
const createContent = (n: number) =>
  Array.from({ length: 8 }, (_, part) => Bun.CryptoHasher.hash('sha256', `${n} ${part}`, 'hex')).join('\n');
await store.merge(Array.from({ length: 20_000 }, (_, n) => createPortableNote(n + 1, { content: createContent(n) })));
{
  await using app = serveApp(store, { maxBodyBytes: 8 * 1024 * 1024 });
  await using relay = startCountingRelay(app.url);
  const client = createPortableClient(relay.url);
  for (const text of ['Boil water', 'Boil water', 'Boil two litres of water']) {
    const before = relay.bytes;
    const started = performance.now();
    const { added, unchanged, updated } = await importSource(
      client,
      writeFileAndFolders(join(folder, 'Soup.md'), text),
    );
    const ms = Math.round(performance.now() - started);
    console.log(`${relay.bytes - before} bytes, ${ms} ms: ${added} added, ${unchanged} unchanged, ${updated} updated`);
  }
}
rmSync(folder, { recursive: true });
