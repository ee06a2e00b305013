/** Lists that are too long to cache are read from a snapshot while the client receives them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { closeSync, copyFileSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Note, NoteFilter } from '../../src/core/note.ts';
import { contentCodings } from '../../src/service/http/compression.ts';
import { beginListDownload, storeLongList } from '../support/http/long-list.ts';
import { copyDatabase, createDatabaseWithNotes } from '../support/postgres/copies.ts';
import type { TestDatabase } from '../support/postgres/databases.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, createTemporaryFolder, type Service, startService } from '../support/service.ts';

const home = createTemporaryFolder();
const template = join(home.path, 'template.db');
let stored: Note[] = [];
let database: TestDatabase;

beforeAll(async () => {
  stored = await storeLongList(template);
  database = await createDatabaseWithNotes(stored);
});
afterAll(async () => {
  home[Symbol.dispose]();
  await database[Symbol.asyncDispose]();
});

function encodeStoredNotes(filter: NoteFilter): string {
  const conditions = Object.entries(filter);
  const fields = (note: Note): Record<string, unknown> => note;
  return JSON.stringify(stored.filter((note) => conditions.every(([name, value]) => fields(note)[name] === value)));
}

/** Describes where two long texts differ; undefined when they are equal. */
function findTextDifference(actual: string | undefined, expected: string): string | undefined {
  if (actual === expected) return undefined;
  if (actual === undefined) return 'the list did not end as a complete one does';
  let at = 0;
  while (actual[at] === expected[at]) at++;
  return `${actual.length} instead of ${expected.length} characters, another one at ${at}: ${actual.slice(at, at + 80)}`;
}

/** A service on a copy of the notes. */
interface Copy extends AsyncDisposable {
  readonly service: Service;
  /** Files in the folder of the database that do not belong to it. */
  listUnexpectedFiles(): string[];
}

/** A copy in a folder of its own. */
interface CopiedFile extends Copy {
  readonly path: string;
}

async function serveSqliteCopy(): Promise<CopiedFile> {
  const folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  copyFileSync(template, path);
  const service = await startService({ DATABASE_URL: `sqlite:${path}` });
  const own = ['', '-wal', '-shm', '.lock'].map((suffix) => `${basename(path)}${suffix}`);
  return {
    service,
    path,
    listUnexpectedFiles: () => readdirSync(folder.path).filter((file) => !own.includes(file)),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function serveDatabase(): Promise<Copy> {
  const copy = await copyDatabase(database);
  const service = await startService({ DATABASE_URL: copy.url });
  return {
    service,
    listUnexpectedFiles: () => [],
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await copy[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  ['SQLite', serveSqliteCopy],
  ['PostgreSQL', serveDatabase],
])('%s:', (_, serveCopy: () => Promise<Copy>) => {
  describe('a list arrives complete, in order and as it was stored', () => {
    let copy: Copy;
    beforeAll(async () => {
      copy = await serveCopy();
    });
    afterAll(() => copy[Symbol.asyncDispose]());

    describe.each<[NoteFilter]>([[{}], [{ category: 'css', group: 'first', archived: true }]])('%j', (filter) => {
      test.each(['identity', ...contentCodings])('%s', async (coding) => {
        const query = new URLSearchParams(JSON.parse(JSON.stringify(filter)));

        const answer = await fetch(`${copy.service.url}/api/notes?${query}`, {
          headers: { 'Accept-Encoding': coding },
        });

        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-encoding') ?? 'identity').toBe(coding);
        expect(findTextDifference(await answer.text(), encodeStoredNotes(filter))).toBeUndefined();
      });
    });
  });

  test('a list is a snapshot of its beginning, whatever is written while it is read', async () => {
    await using copy = await serveCopy();
    const url = `${copy.service.url}/api/notes`;
    using list = await beginListDownload(url, '?archived=false');

    const writes = await Promise.all([
      fetch(url, createJsonRequest(createDraft({ title: 'new' }))),
      fetch(`${url}/1`, createJsonRequest({ id: 1, content: 'changed' }, 'PUT')),
      fetch(`${url}/19999`, createJsonRequest({ id: 19_999, content: 'changed' }, 'PUT')),
      fetch(`${url}/19998/archive`, { method: 'PATCH' }),
    ]);

    expect(writes.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(findTextDifference((await list.rest())?.toString(), encodeStoredNotes({ archived: false }))).toBeUndefined();
    const after = await (await fetch(url)).text();
    for (const write of writes) expect(after.includes(await write.text())).toBe(true);
  });

  test('a reader that stalls and then reads slowly gets every byte of the list as it was at the start', async () => {
    await using copy = await serveCopy();
    const url = `${copy.service.url}/api/notes`;
    using plain = await beginListDownload(url);
    using coded = await beginListDownload(url, '?archived=false', 'Accept-Encoding: gzip\r\n');
    const write = await fetch(`${url}/19999`, createJsonRequest({ id: 19_999, content: 'changed' }, 'PUT'));

    const [plainBytes, codedBytes] = await Promise.all([plain.rest(1_000), coded.rest(1_000)]);

    expect(write.status).toBe(200);
    expect(findTextDifference(plainBytes?.toString(), encodeStoredNotes({}))).toBeUndefined();
    expect(
      findTextDifference(gunzipSync(codedBytes ?? '').toString(), encodeStoredNotes({ archived: false })),
    ).toBeUndefined();
    expect(copy.listUnexpectedFiles()).toEqual([]);
  });
});

test('SQLite: sixteen lists are read at once; another one waits until one of them is read or left', async () => {
  await using copy = await serveSqliteCopy();
  const url = `${copy.service.url}/api/notes`;
  const lists = await Promise.all(Array.from({ length: 16 }, () => beginListDownload(url)));
  let isAnswered = false;
  const next = beginListDownload(url).then((list) => {
    isAnswered = true;
    return list;
  });
  const write = await fetch(url, createJsonRequest(createDraft({ title: 'new' })));
  await fetch(`${copy.service.url}/readyz`);

  expect([write.status, isAnswered]).toEqual([200, false]);
  lists[0]?.[Symbol.dispose]();

  using list = await next;
  expect(list.status).toBe(200);
  expect((await list.rest())?.toString().endsWith(`,${await write.text()}]`)).toBe(true);
  expect(findTextDifference((await lists[1]?.rest())?.toString(), encodeStoredNotes({}))).toBeUndefined();
  for (const one of lists) one[Symbol.dispose]();
});

test('SQLite: a list that fails as the database is damaged is a 500, and ends the service', async () => {
  await using copy = await serveSqliteCopy();
  overwriteMiddlePages(copy.path);

  using list = await beginListDownload(copy.service.url);
  const ended = await copy.service.process.exited;

  expect([list.status, ended]).toEqual([500, 1]);
});

/** Overwrites pages in the middle of the file, as a bad disk might. */
function overwriteMiddlePages(path: string): void {
  const page = 4096;
  const middle = Math.floor(statSync(path).size / 2 / page) * page;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(256 * page, 0xff), 0, 256 * page, middle);
  closeSync(file);
}
