/** Many clients that request a list too long to keep in memory at once: they share compressed copies of it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Note } from '../../src/core/note.ts';
import { beginListDownload, type Download } from '../support/http/long-list.ts';
import { copyDatabase, createDatabaseWithNotes } from '../support/postgres/copies.ts';
import type { TestDatabase } from '../support/postgres/databases.ts';
import { createSeededRandom } from '../support/random.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  type Service,
  startService,
} from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';

const home = createTemporaryFolder();
const template = join(home.path, 'template.db');
let stored: Note[] = [];
let database: TestDatabase;

/** 10 MB of words: not kept as a list, and a third as long when compressed. */
async function storeWords(): Promise<Note[]> {
  const random = createSeededRandom(1);
  const words = Array.from(
    { length: 4_000 },
    (_, index) =>
      `${Bun.hash(`${index}`)
        .toString(36)
        .slice(0, 3 + (index % 8))}`,
  );
  const createContent = () => Array.from({ length: 1_500 }, () => words[random.below(words.length)]).join(' ');
  await using store = await openFile(template);
  return Promise.all(Array.from({ length: 900 }, () => store.create(createDraft({ content: createContent() }))));
}

beforeAll(async () => {
  stored = await storeWords();
  database = await createDatabaseWithNotes(stored);
}, 60_000);
afterAll(async () => {
  home[Symbol.dispose]();
  await database[Symbol.asyncDispose]();
});

interface Served extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
}

async function serveFile(): Promise<Served> {
  const folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  copyFileSync(template, path);
  const service = await startService({ DATABASE_URL: `sqlite:${path}` });
  return {
    service,
    url: `${service.url}/api/notes`,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function serveDatabase(): Promise<Served> {
  const copy = await copyDatabase(database);
  const service = await startService({ DATABASE_URL: copy.url });
  return {
    service,
    url: `${service.url}/api/notes`,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await copy[Symbol.asyncDispose]();
    },
  };
}

const decodeToText = (bytes: Buffer | undefined, coding: string) =>
  (coding === 'gzip' ? gunzipSync(bytes ?? '') : bytes)?.toString();

describe.each([
  ['SQLite', serveFile],
  ['PostgreSQL', serveDatabase],
])('%s:', (_, serve: () => Promise<Served>) => {
  test.each(['gzip', 'identity'])(
    'fifty readers who take nothing (%s) all have their list, as it was when they began, and delay nobody',
    async (coding) => {
      await using served = await serve();
      const begin = () => beginListDownload(served.url, '', `Accept-Encoding: ${coding}\r\n`);

      const lists: Download[] = await Promise.all(Array.from({ length: 50 }, begin));
      const note = await readNoteBody(fetch(served.url, createJsonRequest(createDraft({ title: 'new' }))));
      using later = await begin();

      expect(lists.map(({ status }) => status)).toEqual(Array(50).fill(200));
      expect(decodeToText(await later.rest(), coding)).toBe(JSON.stringify([...stored, note]));
      expect(decodeToText(await lists[49]?.rest(), coding)).toBe(JSON.stringify(stored));
      for (const list of lists) list[Symbol.dispose]();
    },
  );

  test('a list that is requested after a write shows it, while others write and request the list', async () => {
    await using served = await serve();
    const showsWrite = async (id: number) => {
      const note = await readNoteBody(
        fetch(`${served.url}/${id}`, createJsonRequest({ id, title: `New ${id}` }, 'PUT')),
      );
      return (await (await fetch(served.url)).text()).includes(JSON.stringify(note));
    };

    const shown = await Promise.all([1, 2, 3, 4, 5].map(showsWrite));

    expect(shown).toEqual(Array(5).fill(true));
  });

  test('each coding of a shared list has its tag, which a client may hold', async () => {
    await using served = await serve();
    const request = (coding: string, headers = {}, method = 'GET') =>
      fetch(served.url, { method, headers: { 'Accept-Encoding': coding, ...headers } });
    const tagOf = (answer: Response) => answer.headers.get('etag') ?? '';

    const [plain, coded] = [await request('identity'), await request('gzip')];
    const unchanged = await request('gzip', { 'If-None-Match': tagOf(coded) });
    const head = await request('gzip', {}, 'HEAD');
    const known = await request('gzip', { 'If-None-Match': '*' });
    await fetch(served.url, createJsonRequest(createDraft()));
    const changed = await request('gzip', { 'If-None-Match': tagOf(coded) });

    expect([plain, coded].map((answer) => answer.headers.get('content-encoding'))).toEqual([null, 'gzip']);
    expect([tagOf(coded), tagOf(unchanged), tagOf(head)]).toEqual(Array(3).fill(tagOf(plain).replace(/"$/, '.gzip"')));
    expect([unchanged.status, known.status, changed.status]).toEqual([304, 304, 200]);
    expect(tagOf(changed)).not.toBe(tagOf(coded));
    expect(await coded.text()).toBe(await plain.text());
  });
});
