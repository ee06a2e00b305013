import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../../src/client/client.ts';
import { NoteError } from '../../src/core/error.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  runNotesCommand,
  startService,
} from '../support/service.ts';

/** Status and headers that say how a request failed. */
const reported = ({ status, headers }: Response) => [status, headers.get('notes-outcome'), headers.get('retry-after')];

test('each refused write is marked as not done, and reads are unmarked', async () => {
  await using service = await startService();
  const { id } = await readNoteBody(fetch(`${service.url}/api/notes`, createJsonRequest(createDraft())));
  const at = (path: string, init?: RequestInit) => fetch(`${service.url}${path}`, init).then(reported);
  const update = createJsonRequest({ id }, 'PUT');

  expect(await at('/api/notes', createJsonRequest({}))).toEqual([400, 'none', null]);
  expect(await at('/api/notes/999/archive', { method: 'PATCH' })).toEqual([404, 'none', null]);
  expect(await at('/api/nowhere', { method: 'POST' })).toEqual([404, 'none', null]);
  expect(await at('/api/notes', { ...createJsonRequest(createDraft()), headers: { Host: 'a.example' } })).toEqual([
    400,
    'none',
    null,
  ]);
  expect(
    await at(`/api/notes/${id}`, { ...update, headers: { 'Content-Type': 'application/json', 'If-Match': '"x"' } }),
  ).toEqual([412, 'none', null]);
  expect(await at('/api/notes/999')).toEqual([404, null, null]);
  expect(await at('/api/notes?group=x')).toEqual([400, null, null]);
});

async function catchNoteError(work: Promise<unknown>): Promise<NoteError> {
  const error = await work.catch((error: unknown) => error);
  if (error instanceof NoteError) return error;
  throw new Error('It did not fail as a note does', { cause: error });
}

test.each<[Record<string, string>, string, string, boolean]>([
  [{ 'Notes-Outcome': 'none' }, 'Der Speicher ist voll', 'none', false],
  [{ 'Notes-Outcome': 'none', 'Retry-After': '1' }, 'Der Speicher ist voll', 'none', true],
  [{ 'Notes-Outcome': 'unknown', 'Retry-After': '1' }, 'Der Speicher ist voll', 'unknown', false],
  [{}, 'Nothing was changed. Try again', 'unknown', false],
  [{ 'Notes-Outcome': 'unknown' }, 'Nothing was changed', 'unknown', false],
  [{ 'Notes-Outcome': 'none' }, 'The change may or may not have been stored', 'none', false],
])(
  'the client takes the outcome of a failed write from %j, whatever the sentence',
  async (headers, error, outcome, retry) => {
    const send = async () => Response.json({ error }, { status: 500, headers });

    const failed = await catchNoteError(createClient('http://notes.example', { send }).create(createDraft()));

    expect([failed.outcome, failed.retry]).toEqual([outcome, retry] as never);
  },
);

test('without an answer the client reports the outcome of a write as unknown, and a read may be retried', async () => {
  const client = createClient('http://127.0.0.1:1');

  expect(await catchNoteError(client.create(createDraft()))).toMatchObject({
    ...{ code: 'unreachable', message: 'No notes service answers at http://127.0.0.1:1' },
    ...{ outcome: 'unknown', retry: false, cause: expect.anything() },
  });
  expect(await catchNoteError(client.list())).toMatchObject({ code: 'unreachable', outcome: 'none', retry: true });
});

test.each([
  ['none', 'Vielleicht wurde etwas gespeichert', 'A batch of 2 notes was not stored: Vielleicht'],
  ['unknown', 'Nothing was changed', 'A batch of 2 notes was not stored, or its answer was lost: Nothing'],
])('an import into a service that answers %s reports it, whatever the sentence', async (outcome, error, expected) => {
  using folder = createTemporaryFolder();
  const file = join(folder.path, 'notes.json');
  writeFileSync(file, JSON.stringify([createPortableNote(1), createPortableNote(2)]));
  const headers = { 'Notes-Outcome': outcome };
  const fetch = ({ method }: Request) =>
    method === 'GET' ? Response.json([]) : Response.json({ error }, { status: 500, headers });
  await using service = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });

  const { code, stderr } = await runNotesCommand(['import', file, '--url', service.url.origin]);

  expect(code).toBe(1);
  expect(stderr).toContain(`notes: ${expected}`);
});
