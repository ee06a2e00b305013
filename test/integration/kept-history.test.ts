/**
 * An end-to-end check: what a PUT replaced stays in the history, byte for byte, through a backup and restore, a move
 * to another engine, and an export and import.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Note } from '../../src/domain/note.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/databases.ts';
import { draft, jsonBody, noteIn, notesIn, run, startService, temporaryFolder } from '../support/service.ts';

const folder = temporaryFolder();
const pathOf = (name: string) => join(folder.path, name);
const fileOf = (name: string) => ({ DATABASE_URL: `sqlite:${pathOf(name)}` });

/** The default limit for a request body. */
const maxBody = 8 * 1024 * 1024;

/** A text that fills such a request. */
function longText(unit: string): string {
  const room = maxBody - Buffer.byteLength(JSON.stringify({ ...draft({ content: '' }), id: 1 }));
  return unit.repeat(Math.floor(room / (Buffer.byteLength(JSON.stringify(unit)) - 2)));
}

const odd = '\ufeffa\r\nb\r\n \t\u0001\u007f\u2028\u202e é漢👍 $$ \'\\\' $1 {"b":[1]}\n';
const texts = [longText('line\r\n'), odd, longText('漢👍\u0001'), '\r'];

/** The expected histories of the two notes, newest first. */
const expected: [long: Note[], many: Note[]] = [[], []];
let database: TestDatabase;

async function historyOf(url: string, id: number): Promise<Note[]> {
  return await notesIn(fetch(`${url}/api/notes/${id}/history`));
}

/** Hashes of the contents, so that a failure does not print texts of 8 MB. */
const digests = (notes: readonly Note[]) => notes.map((note) => ({ ...note, content: Bun.hash(note.content) }));

/** Serves a store, and expects the histories to be unchanged. */
async function expectHistory(env: Readonly<Record<string, string>>): Promise<void> {
  await using service = await startService(env);
  for (const id of [1, 2] as const) {
    const wanted = digests(expected[id - 1] ?? []);
    expect(digests(await historyOf(service.url, id)).slice(0, wanted.length)).toEqual(wanted);
  }
}

async function succeed(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code, stderr } = await run(args, env);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
}

beforeAll(async () => {
  database = await createDatabase();
  await using service = await startService(fileOf('notes.db'));
  const notes = `${service.url}/api/notes`;
  const put = (id: number, content: string) => noteIn(fetch(`${notes}/${id}`, jsonBody({ id, content }, 'PUT')));
  const states = [[await noteIn(fetch(notes, jsonBody(draft())))], [await noteIn(fetch(notes, jsonBody(draft())))]];
  for (const text of texts) states[0]?.push(await put(1, text));
  for (let n = 1; n <= 150; n++) states[1]?.push(await put(2, `${n}\r\n`));
  for (const [at, all] of states.entries()) expected[at]?.push(...all.slice(0, -1).toReversed().slice(0, 100));
  await service.stop();
}, 60_000);

afterAll(async () => {
  await database[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe('what PUT replaced is in the history', () => {
  test('with texts of 8 MB and odd ones byte for byte, and the newest hundred of 150', async () => {
    expect(expected[0].map(({ content }) => content.length)).toEqual(
      [draft().content, ...texts.slice(0, -1)].map((text) => text.length).reverse(),
    );
    expect(expected[0].map(({ content }) => Bun.hash(content))).toEqual(
      [draft().content, ...texts.slice(0, -1)].map((text) => Bun.hash(text)).reverse(),
    );
    expect(expected[1]).toHaveLength(100);
    await expectHistory(fileOf('notes.db'));
  }, 60_000);

  test('after a backup and restore', async () => {
    await succeed(['backup', pathOf('backup.db')], fileOf('notes.db'));
    await succeed(['restore', pathOf('backup.db'), '--yes'], fileOf('restored.db'));

    await expectHistory(fileOf('restored.db'));
  }, 60_000);

  test('after a move to PostgreSQL and back', async () => {
    await succeed(['migrate', '--from', fileOf('notes.db').DATABASE_URL, '--to', database.url]);
    await succeed(['migrate', '--from', database.url, '--to', fileOf('back.db').DATABASE_URL]);

    await expectHistory({ DATABASE_URL: database.url });
    await expectHistory(fileOf('back.db'));
  }, 60_000);

  test('after an export with history and its import, also into a service', async () => {
    await succeed(['export', pathOf('all.ndjson'), '--history'], fileOf('notes.db'));
    await succeed(['import', pathOf('all.ndjson')], fileOf('imported.db'));

    await expectHistory(fileOf('imported.db'));
    const room = { MAX_BODY_BYTES: String(maxBody) };
    await using service = await startService({ ...fileOf('served.db'), ...room });
    await succeed(['import', pathOf('all.ndjson'), '--url', service.url]);
    for (const id of [1, 2] as const) {
      const wanted = digests(expected[id - 1] ?? []);
      expect(digests(await historyOf(service.url, id)).slice(0, wanted.length)).toEqual(wanted);
    }
  }, 60_000);
});
