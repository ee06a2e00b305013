/** Every operation of the HTTP interface: its answers, and what it must never do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Note } from '../../src/core/note.ts';
import { services } from '../support/postgres/services.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, readNotesBody, type Service } from '../support/service.ts';

const categoryNames = 'css, host-town, prompts, notes, chat-tool, editor-chats, bash-commands';
const groupNames = 'first, second, third, fourth, fifth';
const colorNames = 'primary, secondary, accent, neutral, info, success, warning, error';

const wrongCategory = `Invalid category. Must be one of: ${categoryNames}`;
const wrongGroup = `Invalid group. Must be one of: ${groupNames}`;
const wrongColor = `Invalid color. Must be one of: ${colorNames}`;
const noTitle = 'Invalid title. Must be a non-empty string';
const noContent = 'Invalid content. Must be a non-empty string';
const unlikeId = 'ID in request body must match the ID in the URL path';
const tooLarge = 'Request body must not be larger than 2000 bytes (MAX_BODY_BYTES)';

describe.each(services)('%s', (_, start) => {
  let service: Service;
  beforeAll(async () => {
    service = await start({ MAX_BODY_BYTES: '2000' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const call = (path: string, init?: RequestInit) => fetch(`${service.url}${path}`, init);
  const list = (query = '') => readNotesBody(call(`/api/notes${query}`));
  const create = (changes = {}) => readNoteBody(call('/api/notes', createJsonRequest(createDraft(changes))));
  const put = (id: number, body: object) => call(`/api/notes/${id}`, createJsonRequest({ id, ...body }, 'PUT'));

  /** Sends a request that must be refused: with exactly `{"error"}`, and without changing what is stored. */
  async function expectRefused(path: string, init: RequestInit, status: number, error: string): Promise<void> {
    const before = await list();
    const answer = await call(path, init);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect({ status: answer.status, body: await answer.json() }).toEqual({ status, body: { error } });
    expect(await list()).toEqual(before);
  }

  describe('create', () => {
    test('answers 200 with the nine fields of the note, active, created and updated at once', async () => {
      const answer = await call(
        '/api/notes',
        createJsonRequest(createDraft({ category: 'css', group: 'fifth', color: 'error' })),
      );

      const note = await readNoteBody(answer);
      expect(answer.status).toBe(200);
      const fields = 'id title content category group color archived createdAt updatedAt';
      expect(Object.keys(note)).toEqual(fields.split(' '));
      expect(note).toMatchObject({
        ...createDraft({ category: 'css', group: 'fifth', color: 'error' }),
        archived: false,
      });
      expect(note.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(note.updatedAt).toBe(note.createdAt);
      expect(Number.isSafeInteger(note.id)).toBe(true);
      expect(await list()).toContainEqual(note);
    });

    test('takes every category, group and color', async () => {
      const all = { category: categoryNames, group: groupNames, color: colorNames };
      for (const [field, names] of Object.entries(all)) {
        for (const name of names.split(', ')) expect(await create({ [field]: name })).toMatchObject({ [field]: name });
      }
    });

    test('returns every text exactly as sent', async () => {
      const texts = [
        ' ',
        ' \r\n a \t\n',
        '👩‍👩‍👧‍👦 done',
        'e\u0301 \u00e9', // decomposed and composed
        '\u202bשלום\u202c',
        '\ufeffa',
        '\u0001\u001f\u007f\u0085',
        'a\u2028b\u2029c',
        `<b>&amp;'"\\/'); DROP TABLE notes;--`,
        '\uffff\u{10ffff}',
      ];
      for (const text of texts) {
        const { id } = await create({ title: text, content: text });

        expect(await (await call(`/api/notes/${id}`)).json()).toMatchObject({ title: text, content: text });
        expect((await list()).find((note) => note.id === id)).toMatchObject({ title: text, content: text });
      }
    });

    test('ignores fields that are read-only or unknown', async () => {
      const foreign = { id: 4711, archived: true, createdAt: 'x', updatedAt: 'x', owner: 'me' };

      const answer = await call('/api/notes', createJsonRequest({ ...createDraft(), ...foreign }));

      const note = await readNoteBody(answer);
      expect(answer.status).toBe(200);
      expect(note).toMatchObject({ ...createDraft(), archived: false });
      expect(note.id).not.toBe(4711);
      expect(note).not.toHaveProperty('owner');
    });

    test.each<[string, object, string]>([
      ['no field at all', {}, 'Missing required fields: title, content, category, group, color'],
      ['null for fields', { ...createDraft(), color: null, title: null }, 'Missing required fields: title, color'],
      [
        'one missing and another wrong',
        { ...createDraft(), title: undefined, color: 'red' },
        'Missing required fields: title',
      ],
      ['an empty title', createDraft({ title: '' }), noTitle],
      ['an empty content', createDraft({ content: '' }), noContent],
      ['a number for the title', { ...createDraft(), title: 5 }, noTitle],
      ['a list for the content', { ...createDraft(), content: ['a'] }, noContent],
      ['an unknown category', { ...createDraft(), category: 'x' }, wrongCategory],
      ['a category in capitals', { ...createDraft(), category: 'CSS' }, wrongCategory],
      ['an empty category', { ...createDraft(), category: '' }, wrongCategory],
      ['a list of categories', { ...createDraft(), category: ['css'] }, wrongCategory],
      ['an unknown group', { ...createDraft(), group: 'sixth' }, wrongGroup],
      ['a number for the group', { ...createDraft(), group: 1 }, wrongGroup],
      ['an unknown color', { ...createDraft(), color: '#fff' }, wrongColor],
      ['several mistakes', { ...createDraft(), group: 'x', color: 'x' }, wrongGroup],
      [
        'NUL in the title',
        createDraft({ title: 'a\0b' }),
        'Invalid title. Must not contain NUL (U+0000) or unpaired surrogates',
      ],
      [
        'an unpaired surrogate in the content',
        createDraft({ content: 'a\ud800b' }),
        'Invalid content. Must not contain NUL (U+0000) or unpaired surrogates',
      ],
    ])('refuses %s', async (_, body, error) => {
      await expectRefused('/api/notes', createJsonRequest(body), 400, error);
    });
  });

  describe('bodies', () => {
    const json = { 'Content-Type': 'application/json' };

    test.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
      ['an empty body', '', 'Malformed JSON in request body'],
      ['half an object', '{"title":', 'Malformed JSON in request body'],
      ['a byte order mark', '\ufeff{}', 'Malformed JSON in request body'],
      ['a list', '[]', 'Request body must be a JSON object'],
      ['null', 'null', 'Request body must be a JSON object'],
      ['a string', '"title"', 'Request body must be a JSON object'],
      ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'Request body must be valid UTF-8'],
      ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'Request body must be valid UTF-8'],
      ['more bytes than allowed', ' '.repeat(2001), tooLarge],
    ])('refuses %s, on create and on update', async (_, body, error) => {
      const { id } = await create();
      await expectRefused('/api/notes', { method: 'POST', headers: json, body }, 400, error);
      await expectRefused(`/api/notes/${id}`, { method: 'PUT', headers: json, body }, 400, error);
    });

    test.each([
      [2000, 200],
      [2001, 400],
    ])('answers a body of %d bytes by %d, at once or in chunks', async (size, status) => {
      const empty = JSON.stringify(createDraft({ content: '' }));
      const text = JSON.stringify(createDraft({ content: 'x'.repeat(size - empty.length) }));
      const pieces = text.match(/.{1,1000}/g) ?? [];
      const body = new ReadableStream({
        async pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(Buffer.from(piece));
        },
      });

      const whole = await call('/api/notes', { method: 'POST', headers: json, body: text });
      const answer = await call('/api/notes', { method: 'POST', headers: json, body });

      expect([whole.status, answer.status]).toEqual([status, status]);
    });

    test.each([
      ['application/json', 200],
      ['APPLICATION/JSON; charset=utf-8', 200],
      ['text/plain', 400],
      ['application/x-www-form-urlencoded', 400],
      ['application/problem+json', 400],
      ['text/plain, application/json', 400],
    ])('with Content-Type %s: %d', async (type, status) => {
      const init = { ...createJsonRequest(createDraft()), headers: { 'Content-Type': type } };
      if (status === 200) expect((await call('/api/notes', init)).status).toBe(200);
      else await expectRefused('/api/notes', init, 400, 'Content-Type must be application/json');
    });

    test.each<[string, string, RequestInit]>([
      ['POST', '/api/notes', createJsonRequest(createDraft())],
      ['PUT', '/api/notes/1', createJsonRequest({ id: 1, title: 'a' }, 'PUT')],
      ['PUT', '/api/labels', createJsonRequest({}, 'PUT')],
      ['PUT', '/api/pins', createJsonRequest({ ids: [] }, 'PUT')],
      ['POST', '/merge', createJsonRequest({ notes: [] })],
    ])('%s %s of a compressed body: 400', async (_, path, init) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
      const error = 'Invalid Content-Encoding: gzip. Request body must be sent without one';

      await expectRefused(path, { ...init, body: Bun.gzipSync(`${init.body}`), headers }, 400, error);
    });

    test('without Content-Type: 400', async () => {
      const body = Buffer.from(JSON.stringify(createDraft()));
      await expectRefused('/api/notes', { method: 'POST', body }, 400, 'Content-Type must be application/json');
    });
  });

  describe('list', () => {
    let own: Service;
    let notes: Note[];
    const ask = (query: string) => fetch(`${own.url}/api/notes${query}`);
    const ids = async (query: string) => (await readNotesBody(ask(query))).map((note) => note.id);
    const idsWhere = (matches: (note: Note) => boolean) => notes.filter(matches).map((note) => note.id);

    beforeAll(async () => {
      own = await start();
      const cells = (['css', 'prompts'] as const).flatMap((category) =>
        (['first', 'second'] as const).flatMap((group) => [
          { category, group, isArchived: false },
          { category, group, isArchived: true },
        ]),
      );
      for (const { isArchived, ...fields } of cells) {
        const { id } = await readNoteBody(fetch(`${own.url}/api/notes`, createJsonRequest(createDraft(fields))));
        if (isArchived) await fetch(`${own.url}/api/notes/${id}/archive`, { method: 'PATCH' });
      }
      notes = await readNotesBody(ask(''));
    });
    afterAll(() => own[Symbol.asyncDispose]());

    test('without filters returns all notes, archived ones included, in order of id', async () => {
      const answer = await ask('');

      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(notes.map((note) => note.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(notes.map((note) => note.archived)).toEqual([false, true, false, true, false, true, false, true]);
    });

    test.each<[string, (note: Note) => boolean]>([
      ['?category=css', (note) => note.category === 'css'],
      ['?group=second', (note) => note.group === 'second'],
      ['?archived=true', (note) => note.archived],
      ['?archived=false', (note) => !note.archived],
      ['?category=css&group=first', (note) => note.category === 'css' && note.group === 'first'],
      ['?group=first&archived=true', (note) => note.group === 'first' && note.archived],
      ['?archived=false&category=prompts', (note) => note.category === 'prompts' && !note.archived],
      ['?color=red&page=2&Category=x', () => true],
      ['?group=second&limit=1', (note) => note.group === 'second'],
    ])('%s returns the matching notes', async (query, matches) => {
      expect(await ids(query)).toEqual(idsWhere(matches));
    });

    test('a filter that matches nothing returns an empty array', async () => {
      const answer = await ask('?category=notes&archived=true');

      expect([answer.status, await answer.text()]).toEqual([200, '[]']);
    });

    test.each([
      ['?category=x', wrongCategory],
      ['?category=', wrongCategory],
      ['?category=CSS', wrongCategory],
      ['?category=css&category=css', 'Invalid category. Must be given once'],
      ['?category=css,notes', wrongCategory],
      ['?category=%ff', wrongCategory],
      ['?group=sixth', wrongGroup],
      ['?group=first&group=second', 'Invalid group. Must be given once'],
      ['?archived=1', 'Invalid archived. Must be one of: true, false'],
      ['?archived=', 'Invalid archived. Must be one of: true, false'],
      ['?archived=x&group=x&category=css', wrongGroup],
    ])('%s is refused', async (query, error) => {
      const answer = await ask(query);

      expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 400, body: { error } });
    });

    test('HEAD returns the headers of GET without a body', async () => {
      const get = await ask('?category=css');
      const head = await fetch(`${own.url}/api/notes?category=css`, { method: 'HEAD' });

      expect(head.status).toBe(200);
      expect(await head.text()).toBe('');
      for (const name of ['content-type', 'content-length', 'etag', 'x-content-type-options']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
      }
    });

    test('HEAD announces no empty body, wherever', async () => {
      for (const path of ['/', '/docs', '/openapi.json', '/healthz', '/api/notes/1', '/api/search?q=a', '/nowhere']) {
        const head = await fetch(`${own.url}${path}`, { method: 'HEAD' });

        expect([path, head.headers.get('content-length')]).not.toEqual([path, '0']);
      }
    });
  });

  describe('update', () => {
    test.each<[string, Partial<Note>]>([
      ['the title', { title: 'New' }],
      ['the content', { content: 'New' }],
      ['the category', { category: 'css' }],
      ['the group', { group: 'third' }],
      ['the color', { color: 'warning' }],
      ['several fields', { title: 'New', color: 'info' }],
      ['nothing', {}],
    ])('changes only %s and updatedAt', async (_, changes) => {
      const before = await create();

      const answer = await put(before.id, changes);

      const after = await readNoteBody(answer);
      expect(answer.status).toBe(200);
      expect(after).toEqual({ ...before, ...changes, updatedAt: after.updatedAt });
      expect(after.updatedAt > before.updatedAt).toBe(true);
      expect(await list()).toContainEqual(after);
    });

    test('accepts a whole note as it was read, and keeps what the service owns', async () => {
      const note = await create();
      const archived = await readNoteBody(call(`/api/notes/${note.id}/archive`, { method: 'PATCH' }));

      const after = await readNoteBody(put(note.id, { ...note, title: 'Edited', createdAt: 'x', extra: 1 }));

      expect(after).toEqual({ ...archived, title: 'Edited', updatedAt: after.updatedAt });
    });

    test.each<[string, (id: number) => object, string]>([
      ['no id', () => ({ title: 'a' }), 'Missing required fields: id'],
      ['another id', (id) => ({ id: id + 1 }), unlikeId],
      ['the id as a string', (id) => ({ id: String(id) }), unlikeId],
      ['a wrong id and a wrong title', () => ({ id: 0, title: '' }), unlikeId],
      ['an empty title', (id) => ({ id, title: '' }), noTitle],
      ['null for the title', (id) => ({ id, title: null }), noTitle],
      ['a number for the content', (id) => ({ id, content: 1 }), noContent],
      ['null for the category', (id) => ({ id, category: null }), wrongCategory],
      ['an unknown group', (id) => ({ id, group: 'x' }), wrongGroup],
      ['a right and a wrong field', (id) => ({ id, title: 'a', color: 1 }), wrongColor],
      [
        'NUL in the content',
        (id) => ({ id, content: '\0' }),
        'Invalid content. Must not contain NUL (U+0000) or unpaired surrogates',
      ],
    ])('refuses %s', async (_, body, error) => {
      const { id } = await create();
      await expectRefused(`/api/notes/${id}`, createJsonRequest(body(id), 'PUT'), 400, error);
    });

    test('checks the ids before it looks up the note', async () => {
      await expectRefused('/api/notes/999999', createJsonRequest({ id: 1 }, 'PUT'), 400, unlikeId);
    });
  });

  describe('archive and unarchive', () => {
    test('move a note there and back, and refresh updatedAt each time, also when nothing else changes', async () => {
      const note = await create();
      const states: Note[] = [note];

      for (const verb of ['archive', 'archive', 'unarchive', 'unarchive']) {
        const answer = await call(`/api/notes/${note.id}/${verb}`, { method: 'PATCH' });
        expect(answer.status).toBe(200);
        states.push(await readNoteBody(answer));
      }

      expect(states.map((state) => state.archived)).toEqual([false, true, true, false, false]);
      const times = states.map((state) => state.updatedAt);
      expect(times).toEqual([...new Set(times)].sort());
      for (const state of states)
        expect({ ...state, archived: false, updatedAt: '' }).toEqual({ ...note, updatedAt: '' });
    });

    test.each<[string, RequestInit]>([
      ['malformed JSON', { body: '{', headers: { 'Content-Type': 'application/json' } }],
      ['an empty body announced as JSON', { headers: { 'Content-Type': 'application/json' } }],
      ['another Content-Type', { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
    ])('ignore %s', async (_, init) => {
      const { id } = await create();

      const answer = await call(`/api/notes/${id}/archive`, { method: 'PATCH', ...init });

      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ id, archived: true });
    });
  });

  describe('ids', () => {
    const paths = (id: string): [string, RequestInit][] => [
      [`/api/notes/${id}`, {}],
      [`/api/notes/${id}`, createJsonRequest({ id: 1, title: 'a' }, 'PUT')],
      [`/api/notes/${id}/archive`, { method: 'PATCH' }],
      [`/api/notes/${id}/unarchive`, { method: 'PATCH' }],
    ];

    test.each(['0', '-1', '01', '1.0', '1e0', '%31', 'abc', '9007199254740993'])('%s is no id', async (id) => {
      for (const [path, init] of paths(id)) await expectRefused(path, init, 404, `Note with ID ${id} not found`);
    });

    test('that was never assigned is 404', async () => {
      const error = 'Note with ID 8999999 not found';
      for (const [path, init] of paths('8999999')) {
        const sent = init.method === 'PUT' ? createJsonRequest({ id: 8999999, title: 'a' }, 'PUT') : init;
        await expectRefused(path, sent, 404, error);
      }
    });
  });

  describe('unknown endpoints', () => {
    test.each([
      ['POST', '/'],
      ['GET', '/api'],
      ['GET', '/api/notes/'],
      ['PUT', '/api/notes'],
      ['DELETE', '/api/notes'],
      ['OPTIONS', '/api/notes'],
      ['POST', '/api/notes/1/archive'],
      ['PATCH', '/api/notes/1/archive/'],
      ['GET', '/API/notes'],
      ['GET', '/api%2Fnotes'],
    ])('%s %s is refused by name', async (method, path) => {
      await expectRefused(path, { method }, 404, `No such endpoint: ${method} ${path}`);
    });

    test.each([
      ['PATCH', 'Change its fields by PUT'],
      ['DELETE', 'Notes are archived, not deleted: PATCH <path>/archive'],
    ])('%s of a note is refused with what there is instead', async (method, instead) => {
      await expectRefused('/api/notes/1', { method }, 404, `No such endpoint: ${method} /api/notes/1. ${instead}`);
    });
  });

  describe('If-None-Match', () => {
    const condition = (tag: string) => ({ headers: { 'If-None-Match': tag } });

    test('of a note is its updatedAt', async () => {
      const note = await create();

      const answer = await call(`/api/notes/${note.id}`);
      const again = await call(`/api/notes/${note.id}`, condition(`"x", W/"${note.updatedAt}"`));

      expect(await answer.json()).toEqual(note);
      expect(answer.headers.get('etag')).toBe(`"${note.updatedAt}"`);
      expect([again.status, await again.text()]).toEqual([304, '']);
    });

    test('of a list is 304 while nothing has changed, 200 with a new tag after any write', async () => {
      const { id } = await create();
      const tag = (await call('/api/notes?archived=false')).headers.get('etag') ?? '';

      const same = await call('/api/notes?archived=false', condition(tag));
      await call(`/api/notes/${id}/archive`, { method: 'PATCH' });
      const changed = await call('/api/notes?archived=false', condition(tag));

      expect(tag).toMatch(/^"[^"]+"$/);
      expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', tag]);
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(tag);
      expect(await changed.json()).not.toContainEqual(expect.objectContaining({ id }));
      for (const [other, status] of [
        ['*', 304],
        ['"x"', 200],
        ['', 200],
      ] as const) {
        expect([other, (await call('/api/notes', condition(other))).status]).toEqual([other, status]);
      }
    });
  });

  describe('If-Match', () => {
    const withMatch = (init: RequestInit, tag: string) => ({
      ...init,
      headers: { ...(init.headers as Record<string, string>), 'If-Match': tag },
    });

    test.each<[string, (id: number) => [string, RequestInit]]>([
      ['update', (id) => [`/api/notes/${id}`, createJsonRequest({ id, title: 'Mine' }, 'PUT')]],
      ['archive', (id) => [`/api/notes/${id}/archive`, { method: 'PATCH' }]],
      ['unarchive', (id) => [`/api/notes/${id}/unarchive`, { method: 'PATCH' }]],
    ])('lets %s succeed only while the tag is current', async (_, write) => {
      const { id, updatedAt } = await create();
      const [path, init] = write(id);
      const late = [`"${updatedAt}"`, `W/"${updatedAt}"`, '"x", "y"', ',"x" , ,W/"y",', '""', '"a,b"'];
      const misspelled = [`"${updatedAt.replace('Z', '+00:00')}"`];
      const error = `Note with ID ${id} has changed since it was read`;

      for (const tag of misspelled) await expectRefused(path, withMatch(init, tag), 412, error);
      for (const tag of [`"${updatedAt}"`, '*']) expect((await call(path, withMatch(init, tag))).status).toBe(200);
      for (const tag of late) await expectRefused(path, withMatch(init, tag), 412, error);
      const [nowhere, sent] = write(8999999);
      await expectRefused(nowhere, withMatch(sent, '"x"'), 404, 'Note with ID 8999999 not found');
    });

    test.each([
      '',
      ',',
      'abc',
      '"abc',
      '"a b"',
      '"a" "b"',
      '"a", b',
      '*, "a"',
      'w/"a"',
      'W/ "a"',
      '2026-03-01T09:30:00.000Z',
    ])('is refused when it is no entity tag: %p', async (tag) => {
      const { id } = await create();
      const error = 'Invalid If-Match. Must be * or entity tags in double quotes';

      for (const verb of ['archive', 'unarchive'])
        await expectRefused(`/api/notes/${id}/${verb}`, withMatch({ method: 'PATCH' }, tag), 400, error);
      await expectRefused(
        `/api/notes/${id}`,
        withMatch(createJsonRequest({ id, title: 'Mine' }, 'PUT'), tag),
        400,
        error,
      );
    });

    test('is ignored by creates', async () => {
      expect((await call('/api/notes', withMatch(createJsonRequest(createDraft()), '"x"'))).status).toBe(200);
    });
  });
});
