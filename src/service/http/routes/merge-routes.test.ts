import { expect, test } from 'bun:test';
import { createDraft, createPortableNote } from '../../../../test/support/sample-notes.ts';
import { createJsonRequest, readNotesBody } from '../../../../test/support/service.ts';
import { callApp } from '../../../../test/support/stores/stores.ts';
import { openSqlite } from '../../../store/open-sqlite.ts';

const kept = (id: number, changes: object = {}) => ({ ...createPortableNote(id), ...changes });

const open = async () => callApp(await openSqlite({ path: ':memory:' }));

test('takes notes as listed, and returns their outcomes', async () => {
  await using from = await open();
  await using to = await open();
  for (const title of ['a', 'b']) await from.request('/api/notes', createJsonRequest(createDraft({ title })));
  const notes = await readNotesBody(from.request('/api/notes'));

  const response = await to.request('/merge', createJsonRequest({ notes }));

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toMatchObject({ results: [{ outcome: 'added' }, { outcome: 'added' }] });
  expect(await readNotesBody(to.request('/api/notes'))).toEqual(notes);
});

test('rejects unknown fields: a mistyped dryRun must not merge', async () => {
  await using app = await open();

  const response = await app.request('/merge', createJsonRequest({ notes: [kept(1)], dry_run: true }));

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: 'Unknown field dry_run. Must be one of: notes, dryRun' });
  expect(await readNotesBody(app.request('/api/notes'))).toEqual([]);
});

const categories = 'css, host-town, prompts, notes, chat-tool, editor-chats, bash-commands';

test.each<[string, unknown, string]>([
  ['a wrong field', kept(2, { category: 'x' }), `Note 2: Invalid category. Must be one of: ${categories}`],
  ['an empty text', kept(2, { title: '' }), 'Note 2: Invalid title. Must be a non-empty string'],
  ['NUL', kept(2, { content: '\0' }), 'Note 2: Invalid content. Must not contain NUL (U+0000) or unpaired surrogates'],
  ['an id of zero', kept(0), 'Note 2: Invalid id. Must be an integer from 1 to 281474976710656'],
  ['a fraction', kept(1.5), 'Note 2: Invalid id. Must be an integer from 1 to 281474976710656'],
  ['another flag', kept(2, { archived: 1 }), 'Note 2: Invalid archived. Must be one of: true, false'],
  [
    'another time',
    kept(2, { createdAt: '2020-01-01' }),
    'Note 2: Invalid createdAt. Must be a time like 2026-01-31T12:00:00.000Z',
  ],
  [
    'reversed times',
    kept(2, { updatedAt: '2019-12-31T23:59:59.999Z' }),
    'Note 2: Invalid updatedAt. Must not be before createdAt',
  ],
  ['a number', 7, 'Note 2: Must be a JSON object'],
])('rejects a note with %s by its place, and merges none', async (_, note, error) => {
  await using app = await open();

  const response = await app.request('/merge', createJsonRequest({ notes: [kept(1), note, kept(3)] }));

  expect([response.status, await response.json()]).toEqual([400, { error }]);
  expect(await readNotesBody(app.request('/api/notes'))).toEqual([]);
});

const tooMany = 'Must hold an array "notes" of at most 5000 notes';

test.each<[string, unknown, string]>([
  ['no notes', {}, tooMany],
  ['too many notes', { notes: Array.from({ length: 5_001 }, (_, n) => kept(n + 1)) }, tooMany],
  ['a dryRun that is a text', { notes: [], dryRun: 'true' }, 'Invalid dryRun. Must be one of: true, false'],
])('rejects a body with %s', async (_, body, error) => {
  await using app = callApp(await openSqlite({ path: ':memory:' }), { maxBodyBytes: 8 * 1024 * 1024 });

  const response = await app.request('/merge', createJsonRequest(body));

  expect([response.status, await response.json()]).toEqual([400, { error }]);
});

test('takes 5,000 notes at once', async () => {
  await using app = callApp(await openSqlite({ path: ':memory:' }), { maxBodyBytes: 8 * 1024 * 1024 });

  const response = await app.request(
    '/merge',
    createJsonRequest({ notes: Array.from({ length: 5_000 }, (_, n) => kept(n + 1)) }),
  );

  expect(response.status).toBe(200);
});
