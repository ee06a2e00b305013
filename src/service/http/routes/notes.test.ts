import { describe, expect, test } from 'bun:test';
import { draft, jsonBody, noteIn, notesIn } from '../../../../test/support/service.ts';
import { type CalledApp, callApp } from '../../../../test/support/stores/stores.ts';
import { openSqlite } from '../../../store/sqlite/open.ts';

/** An application with one note, whose path and state are given. */
async function open() {
  const app = callApp(await openSqlite({ path: ':memory:' }));
  const note = await noteIn(app.request('/api/notes', jsonBody(draft())));
  return { app, note, path: `/api/notes/${note.id}` };
}

const notesOf = async (app: CalledApp) => notesIn(await app.request('/api/notes'));

test('a created note is read under its id, with its time as a tag', async () => {
  const { app, note, path } = await open();
  await using _app = app;

  const answer = await app.request(path);

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(answer.headers.get('etag')).toBe(`"${note.updatedAt}"`);
  expect(await answer.json()).toEqual(note);
});

test.each([
  ['the tag', (tag: string) => tag, 304],
  ['the tag among others, as a weak one', (tag: string) => `"x", W/${tag}`, 304],
  ['any tag', () => '*', 304],
  ['another tag', () => '"x"', 200],
  ['a tag without quotes', (tag: string) => tag.slice(1, -1), 200],
])('reading with If-None-Match of %s', async (_, headerOf, status) => {
  const { app, note, path } = await open();
  await using _app = app;

  const answer = await app.request(path, { headers: { 'If-None-Match': headerOf(`"${note.updatedAt}"`) } });

  expect(answer.status).toBe(status);
  expect(await answer.text()).toBe(status === 304 ? '' : JSON.stringify(note));
});

describe.each([
  ['PUT', ''],
  ['PATCH', '/archive'],
  ['PATCH', '/unarchive'],
])('%s <note>%s', (method, below) => {
  const write = (app: CalledApp, path: string, id: number, headers: Readonly<Record<string, string>> = {}) =>
    app.request(`${path}${below}`, {
      method,
      ...(method === 'PUT' && { body: JSON.stringify({ id, title: 'New' }) }),
      headers: { ...(method === 'PUT' && { 'Content-Type': 'application/json' }), ...headers },
    });

  test('answers the note as it is stored now', async () => {
    const { app, note, path } = await open();
    await using _app = app;

    const written = await noteIn(write(app, path, note.id));

    expect(written.updatedAt > note.updatedAt).toBe(true);
    expect(await notesOf(app)).toEqual([written]);
  });

  test.each([
    ['the tag', (tag: string) => tag, 200],
    ['any tag', () => '*', 200],
    ['the tag after another', (tag: string) => `"x", ${tag}`, 200],
    ['a weak tag', (tag: string) => `W/${tag}`, 412],
    ['another tag', () => '"x"', 412],
    ['nothing', () => '', 412],
  ])('with If-Match of %s is answered', async (_, headerOf, status) => {
    const { app, note, path } = await open();
    await using _app = app;

    const answer = await write(app, path, note.id, { 'If-Match': headerOf(`"${note.updatedAt}"`) });

    expect(answer.status).toBe(status);
    if (status === 412) expect(await notesOf(app)).toEqual([note]);
  });

  test.each(['2', '0', '01', '%31', 'x'])('of a note %s is answered 404', async (id) => {
    const { app, note } = await open();
    await using _app = app;

    const answer = await write(app, `/api/notes/${id}`, Number(id));

    expect([answer.status, await answer.json()]).toEqual([404, { error: `Note with ID ${id} not found` }]);
    expect(await notesOf(app)).toEqual([note]);
  });
});
