/** The search over HTTP, on both engines, and its use by the command line and MCP. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createPortableClient } from '../../src/client/portable-client.ts';
import type { Note } from '../../src/core/note.ts';
import { compareNewestFirst } from '../../src/core/note-order.ts';
import { searchExactlyOrMistyped } from '../../src/core/search.ts';
import { searchNotesByLine } from '../../src/core/search-line.ts';
import type { NoteEngine } from '../../src/core/store.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { createCorpus } from '../support/data/corpus.ts';
import { openEmptyPostgres } from '../support/postgres/databases.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, readNotesBody, runNotesCommand } from '../support/service.ts';
import { type ServedApp, serveApp } from '../support/stores/stores.ts';

const engines: readonly (readonly [string, () => NoteEngine | Promise<NoteEngine>])[] = [
  ['SQLite', () => openSqlite({ path: ':memory:' })],
  ['SQLite without cached lists', () => openSqlite({ path: ':memory:', cacheBytes: 0 })],
  ['PostgreSQL', () => openEmptyPostgres({ now: undefined })],
  ['PostgreSQL without cached lists', () => openEmptyPostgres({ now: undefined, cacheBytes: 0 })],
];

/** Two years old, so that notes written later come first. */
const stored = createCorpus(1_000).map(
  (fields, index): Note =>
    createPortableNote(index + 1, {
      ...fields,
      archived: index % 4 === 0,
      createdAt: '2024-01-01T00:00:00.000Z',
      updatedAt: `2024-01-01T00:00:${10 + (index % 50)}.000Z`,
    }),
);

const queries = ['', 'git', 'the', 'backup restore', 'Zoe', 'bergen', 'retreis', 'docker run --rm', 'nowhere at all'];

describe.each(engines)('on %s', (_, openEmpty) => {
  let app: ServedApp;
  beforeAll(async () => {
    const store = await openEmpty();
    await store.merge(stored);
    app = serveApp(store);
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const ask = (query: string) => fetch(`${app.url}/api/search?${query}`);
  const found = async (query: string) => {
    const answer = await ask(query);
    return { notes: await readNotesBody(answer), total: Number(answer.headers.get('notes-found')) };
  };

  test.each(queries)('"%s" finds what the page and the command line find, in their order', async (query) => {
    const expected = searchExactlyOrMistyped(stored.toSorted(compareNewestFirst), query);

    const all = await found(new URLSearchParams({ q: query, limit: '1000' }).toString());
    const few = await found(new URLSearchParams({ q: query, limit: '3' }).toString());
    const unlimited = await found(new URLSearchParams({ q: query }).toString());

    expect(all).toEqual({ notes: expected, total: expected.length });
    expect(few).toEqual({ notes: expected.slice(0, 3), total: expected.length });
    expect(unlimited.notes).toEqual(expected.slice(0, 20));
  });

  test('understands filters among the words, with several values, and treats unknown ones as words', async () => {
    const ids = async (q: string, more: Readonly<Record<string, string>> = {}) => {
      const { notes } = await found(new URLSearchParams({ q, limit: '1000', ...more }).toString());
      return notes.map(({ id }) => id).sort((one, other) => one - other);
    };
    const listIdsThatPass = (passes: (note: Note) => boolean) => stored.filter(passes).map(({ id }) => id);

    expect(await ids('c:css,prompts')).toEqual(
      listIdsThatPass(({ category }) => category === 'css' || category === 'prompts'),
    );
    expect(await ids('category:css archived:true color:info,error')).toEqual(
      listIdsThatPass(
        ({ category, archived, color }) => category === 'css' && archived && ['info', 'error'].includes(color),
      ),
    );
    expect(await ids('g:first', { category: 'css', archived: 'false' })).toEqual(
      listIdsThatPass(({ category, group, archived }) => category === 'css' && group === 'first' && !archived),
    );
    expect(await ids('c:css', { category: 'notes' })).toEqual([]);
    expect(await ids('c:cssx')).toEqual([]);
    const words = await found(new URLSearchParams({ q: 'the c:css', limit: '5' }).toString());
    const expected = searchExactlyOrMistyped(
      stored.filter(({ category }) => category === 'css').toSorted(compareNewestFirst),
      'the',
    );
    expect(words).toEqual({ notes: expected.slice(0, 5), total: expected.length });
  });

  test('finds the state of a note as soon as its write is answered, and ignores unknown parameters', async () => {
    const created = await readNoteBody(
      fetch(`${app.url}/api/notes`, createJsonRequest(createDraft({ title: 'Xylophone' }))),
    );
    const at = `${app.url}/api/notes/${created.id}`;
    expect((await found('q=xylophone&page=2')).notes).toEqual([created]);

    const updated = await readNoteBody(fetch(at, createJsonRequest({ id: created.id, title: 'Zither' }, 'PUT')));
    expect(await found('q=zither')).toEqual({ notes: [updated], total: 1 });
    expect((await found('q=xylophone')).total).toBe(0);

    const archived = await readNoteBody(fetch(`${at}/archive`, { method: 'PATCH' }));
    expect((await found('q=zither&archived=false')).total).toBe(0);
    expect((await found('q=zither&archived=true')).notes).toEqual([archived]);
  });

  test('the client returns the hits, and the number of all', async () => {
    const store = createPortableClient(app.url);
    const expected = searchExactlyOrMistyped(
      stored.filter(({ archived }) => !archived).sort(compareNewestFirst),
      'the',
    );

    const few = await store.search?.('the', { archived: false, limit: 2 });
    const refused = await store.search?.('x', { limit: 0 }).catch((error) => error);
    const tooLong = await store.search?.('x'.repeat(1_001));

    expect(few).toEqual({ notes: expected.slice(0, 2), total: expected.length });
    expect(refused).toMatchObject({ code: 'invalid' });
    expect(tooLong).toBeUndefined();
  });

  test('without words finds the notes changed last, as many as fit', async () => {
    const isFit = ({ category, group, archived }: Note) => category === 'css' && group === 'first' && archived;
    const expected = stored.filter(isFit).sort(compareNewestFirst);

    const filtered = await found('category=css&group=first&archived=true&limit=5');
    const long = createDraft({ content: 'é'.repeat(150_000) });
    const written: Note[] = [];
    for (let n = 0; n < 10; n++)
      written.unshift(await readNoteBody(fetch(`${app.url}/api/notes`, createJsonRequest(long))));
    const last = await found('archived=false&limit=1000');

    expect(filtered).toEqual({ notes: expected.slice(0, 5), total: expected.length });
    expect(last.notes).toEqual(written.slice(0, 3));
    expect(last.total).toBeGreaterThan(700);
  });
});

test('other requests are answered while many searches run', async () => {
  const content = 'Some words of which none is what is looked for. '.repeat(12);
  const store = await openSqlite({ path: ':memory:' });
  await Promise.all(
    Array.from({ length: 10_000 }, (_, n) => store.create(createDraft({ title: `Note ${n}`, content }))),
  );
  await using app = serveApp(store);
  const searches = 60;
  let isSearching = true;
  let answered = 0;

  const answers = Promise.all(
    Array.from({ length: searches }, (_, n) => fetch(`${app.url}/api/search?q=words ${n}`)),
  ).finally(() => {
    isSearching = false;
  });
  for (; isSearching; answered++) await fetch(`${app.url}/api/notes?category=css`);

  expect((await answers).map(({ status }) => status)).toEqual(Array(searches).fill(200));
  expect(answered).toBeGreaterThan(2 * searches);
});

/** A proxy in front of a service, and the paths requested through it. */
interface Relay extends AsyncDisposable {
  readonly url: string;
  readonly asked: string[];
}

function relay(app: ServedApp): Relay {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, search: query } = new URL(request.url);
      asked.push(pathname);
      return fetch(app.url + pathname + query, { headers: { 'Accept-Encoding': 'identity' } });
    },
  });
  return { url: server.url.origin, asked, [Symbol.asyncDispose]: () => server.stop(true) };
}

describe('through a service', () => {
  let app: ServedApp;
  beforeAll(async () => {
    const store = await openSqlite({ path: ':memory:' });
    await store.merge(stored);
    app = serveApp(store);
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const expected = (line: string) =>
    searchNotesByLine(stored.filter(({ archived }) => !archived).sort(compareNewestFirst), line);

  test.each([
    [['the', '-n', '7'], 'the', ['/api/search']],
    [[], '', ['/api/notes']],
    [['git', 'c:bash-commands'], 'git c:bash-commands', ['/api/search']],
  ])(
    'notes list %j uses the search of the service where that avoids reading all notes',
    async (words, query, paths) => {
      await using service = relay(app);

      const { code, stdout, stderr } = await runNotesCommand(['list', ...words, '--json', '--url', service.url]);

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toEqual(expected(query).slice(0, words.includes('-n') ? 7 : undefined));
      expect(service.asked).toEqual(paths);
    },
  );

  test('notes list prints all hits, even more than the service returns at most', async () => {
    const store = await openSqlite({ path: ':memory:' });
    await store.merge(
      Array.from({ length: 1_200 }, (_, n) => ({ ...(stored[1] as Note), id: n + 1, title: 'needle' })),
    );
    await using crowded = serveApp(store);

    const { stdout } = await runNotesCommand(['list', 'needle', '--url', crowded.url]);

    expect(stdout.trimEnd().split('\n')).toHaveLength(1_200);
  });
});
