/** Long lists from PostgreSQL: the connections, snapshots and memory that their readers use, fast or slow. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { isEventuallyTrue } from '../support/eventually.ts';
import { beginListDownload } from '../support/http/long-list.ts';
import { openConnection } from '../support/http/raw-http-connection.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres/databases.ts';
import { createDraft } from '../support/sample-notes.ts';
import { pickByScale } from '../support/scale.ts';
import { createJsonRequest, type Service, startService } from '../support/service.ts';
import { isLinux, readPeakMegabytes, resetPeakMemory } from '../support/system/process-facts.ts';

/** A service on a database with many notes that were written from outside. */
interface Stocked extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  /** The number of its connections that are in a transaction, or keep an old snapshot alive. */
  transactions(): Promise<number>;
}

/** SQL for a text of `bytes` for the note `n`, which compresses well. */
const repetition = (bytes: number) => `repeat(md5(n::text), ${Math.ceil(bytes / 32)})`;

/** The same, which hardly compresses. */
const randomText = (bytes: number) => `(SELECT string_agg(encode(sha512((n || ' ' || part)::bytea), 'base64'), '')
  FROM generate_series(1, ${Math.ceil(bytes / 89)}) AS part)`;

/** Inserts active notes. */
const stock = (count: number, content: string) => `
  INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
  SELECT 'Note ' || n, ${content}, 'css', 'first', 'info', 1, 1 FROM generate_series(1, ${count}) AS n`;

const countTransactions = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'notes' AND (xact_start, backend_xmin) IS DISTINCT FROM (NULL, NULL)`;

async function serveStocked(count: number, content: string): Promise<Stocked> {
  const database: TestDatabase = await createEmptyDatabase();
  const service = await startService({ DATABASE_URL: database.url });
  await database.run(stock(count, content));
  return {
    service,
    url: `${service.url}/api/notes`,
    transactions: async () => (await database.run<{ count: number }>(countTransactions))[0]?.count ?? 0,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Enough notes that neither their list nor a compressed copy of it is cached: each reader has a stream. */
const length = 18_000;

let stocked: Stocked;
beforeAll(async () => {
  stocked = await serveStocked(length, randomText(1_400));
});
afterAll(() => stocked[Symbol.asyncDispose]());

/** Resolves once so many connections are in a transaction. */
async function untilTransactions(count: number): Promise<void> {
  expect(await isEventuallyTrue(async () => (await stocked.transactions()) === count)).toBe(true);
}

test('a reader that disconnects frees its connection, before one that stalls for longer is cut off', async () => {
  using stalled = await beginListDownload(stocked.url);
  const list = await beginListDownload(stocked.url);
  await untilTransactions(2);

  list[Symbol.dispose]();
  await untilTransactions(1);

  stalled[Symbol.dispose]();
  await untilTransactions(0);
});

test('stalled readers in all turns of long lists block neither writes nor short reads', async () => {
  const lists = await Promise.all(Array.from({ length: 6 }, () => beginListDownload(stocked.url)));
  const waiting = await openConnection(stocked.service.port);
  waiting.send('GET /api/notes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const statuses: number[] = [];

  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all([
      fetch(stocked.url, createJsonRequest(createDraft({ category: 'prompts', group: 'fifth', content: 'short' }))),
      fetch(`${stocked.url}/7`, createJsonRequest({ id: 7, color: 'error' }, 'PUT')),
      fetch(`${stocked.url}/8`),
      fetch(`${stocked.url}?group=second`),
    ]);
    statuses.push(...answers.map((answer) => answer.status));
  }

  expect(lists.map((list) => list.status)).toEqual(Array.from(lists, () => 200));
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  await untilTransactions(6);
  waiting.socket.destroy();
  for (const list of lists) list[Symbol.dispose]();
});

/** Reads a list at full speed, and returns its length in bytes. */
async function measureBodyLength(url: string): Promise<number> {
  let length = 0;
  for await (const bytes of (await fetch(url)).body ?? []) length += bytes.length;
  return length;
}

test.skipIf(!isLinux).each([
  ['1.4 KB', pickByScale(100_000, 20_000), 1_400, 5, 600],
  ['60 KB', pickByScale(4_000, 1_500), 60_000, 5, 700],
  ['8 MB', pickByScale(30, 12), 8 * 1024 * 1024, 3, 900],
])('lists of notes of %s use bounded memory', async (size, count, bytes, readers, maxMb) => {
  await using own = await serveStocked(count, repetition(bytes));
  resetPeakMemory(own.service.process);

  const lengths = await Promise.all(Array.from({ length: readers }, () => measureBodyLength(own.url)));

  const peak = readPeakMegabytes(own.service.process);
  console.log(`${readers} readers of ${count} notes of ${size}: at most ${peak.toFixed(0)} MB`);
  for (const length of lengths) expect(length).toBeGreaterThan(count * bytes);
  expect(peak).toBeLessThan(maxMb);
});
