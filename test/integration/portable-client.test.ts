import { describe, expect, test } from 'bun:test';
import { createPortableClient } from '../../src/client/portable-client.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { catchCodeAndMessage } from '../support/catch-code-and-message.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import { serveApp } from '../support/stores/stores.ts';

const kept = (id: number, content = 'c') => createPortableNote(id, { content });
const noteJson = JSON.stringify(kept(1));

/** Answers requests with `answer`, and records the sizes of their bodies in bytes. */
function serve(answer: (request: Request) => Response | Promise<Response>) {
  const bodies: number[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const counted = request.clone();
      bodies.push((await counted.arrayBuffer()).byteLength);
      return answer(request);
    },
  });
  return { url: server.url.origin, bodies, [Symbol.asyncDispose]: () => server.stop(true) };
}

async function scan(store: ReturnType<typeof createPortableClient>): Promise<number> {
  let count = 0;
  for await (const notes of store.scan()) count += notes.length;
  return count;
}

describe('scan', () => {
  test('reports an answer that was cut off, whether it ended cleanly or the connection broke', async () => {
    await using short = serve(() => new Response(`[${noteJson},`));
    using torn = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket) {
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n[${noteJson},`);
        },
      },
    });

    for (const url of [short.url, `http://127.0.0.1:${torn.port}`]) {
      const error = await catchCodeAndMessage(scan(createPortableClient(url)));
      expect(error).toEqual(['unavailable', `The answer of the notes service at ${url} was cut off. Try again`]);
    }
  });

  test('times out when nothing arrives for too long, but not while data arrives', async () => {
    const trickle = (pauseMs: number) =>
      serve(
        () =>
          new Response(
            new ReadableStream({
              async start(controller) {
                for (const part of ['[', ...(noteJson.match(/.{1,5}/g) ?? []), ']']) {
                  controller.enqueue(new TextEncoder().encode(part));
                  await Bun.sleep(pauseMs);
                }
                controller.close();
              },
            }),
          ),
      );
    await using slow = trickle(100); // takes longer than the silence that it may have
    await using silent = trickle(24 * 60 * 60_000);

    const count = await scan(createPortableClient(slow.url, { silenceMs: 3_000 }));
    const error = await catchCodeAndMessage(scan(createPortableClient(silent.url, { silenceMs: 400 })));

    expect(count).toBe(1);
    expect(error).toEqual(['unavailable', `The answer of the notes service at ${silent.url} was cut off. Try again`]);
  });

  test('holds few notes of a long list in memory, and can be stopped early', async () => {
    await using app = serveApp(await openSqlite({ path: ':memory:', cacheBytes: 0 }), {
      maxBodyBytes: 8 * 1024 * 1024,
    });
    const client = createPortableClient(app.url);
    for (let batch = 0; batch < 20; batch++) {
      await client.merge(Array.from({ length: 1_000 }, (_, n) => kept(batch * 1_000 + n + 1, 'c'.repeat(400))));
    }

    const counts: number[] = [];
    for await (const notes of client.scan()) counts.push(notes.length);
    for await (const _ of client.scan()) break;

    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20_000);
    expect(Math.max(...counts)).toBeLessThan(5_000);
  });
});

describe('merge', () => {
  test('sends at most 1,000 notes and about 512 KB in a request, and a longer note by itself', async () => {
    await using app = serveApp(await openSqlite({ path: ':memory:' }), { maxBodyBytes: 8 * 1024 * 1024 });
    await using relay = serve((request) => fetch(app.url + new URL(request.url).pathname, request));
    const notes = [
      ...Array.from({ length: 1_001 }, (_, n) => kept(n + 1)),
      kept(2_000, '漢'.repeat(400_000)),
      ...Array.from({ length: 4 }, (_, n) => kept(3_000 + n, '漢'.repeat(80_000))),
    ];

    const results = await createPortableClient(relay.url).merge(notes);

    expect(results).toEqual(notes.map(({ id }) => ({ outcome: 'added', id })));
    expect(relay.bodies).toHaveLength(5);
    expect(relay.bodies.filter((bytes) => bytes > 600_000)).toHaveLength(1);
  });

  test('passes on the refusal of a body that is too large, and keeps earlier notes', async () => {
    await using app = serveApp(await openSqlite({ path: ':memory:' }), { maxBodyBytes: 300_000 });
    const client = createPortableClient(app.url);
    const notes = [...Array.from({ length: 1_000 }, (_, n) => kept(n + 1)), kept(2_000, 'c'.repeat(400_000))];

    const error = await catchCodeAndMessage(client.merge(notes));

    expect(error).toEqual(['invalid', 'Request body must not be larger than 300000 bytes (MAX_BODY_BYTES)']);
    expect(await client.list()).toHaveLength(1_000);
  });
});

describe('a note of a later version of the service', () => {
  const later = { ...kept(1), color: 'light-pink', pinned: true };

  test('comes with a value that the client does not know, beside the other notes', async () => {
    await using other = serve(() => Response.json([later, kept(2)]));
    const client = createPortableClient(other.url);
    const scanned: unknown[] = [];

    const listed: unknown = await client.list();
    for await (const notes of client.scan()) scanned.push(...notes);

    expect(listed).toEqual([later, kept(2)]);
    expect(scanned).toEqual([later, kept(2)]);
  });

  test.each(['../up', 'a/b', '\x1b[31m', '', 'Pink', 7])(
    'is rejected with the category %j, which no version has',
    async (category) => {
      await using other = serve(() => Response.json({ ...later, category }));

      expect((await catchCodeAndMessage(createPortableClient(other.url).get(1)))[0]).toBe('unavailable');
    },
  );
});

test.each(['<html>', '{"hello":[]}', '[nope]', '{}', '{"results":[{"outcome":"added"},{"outcome":"added"}]}'])(
  'rejects %s as an invalid answer, to a scan and to a merge',
  async (text) => {
    await using other = serve(() => new Response(text));
    const client = createPortableClient(other.url);
    const expected = ['unavailable', 'The service answered 200 with an unexpected body'];

    expect(await catchCodeAndMessage(scan(client))).toEqual(expected);
    expect(await catchCodeAndMessage(client.merge([kept(1)]))).toEqual(expected);
  },
);

test.each([
  ['a wrong path of the service', '/wrong', () => undefined, 'Check the path'],
  ['another web server', '', () => new Response('<h1>Not found</h1>', { status: 404 }), 'Check the address'],
])('says of %s, whatever is asked, that it is no notes service', async (_, path, answer, advice) => {
  await using app = serveApp(await openSqlite({ path: ':memory:' }), { maxBodyBytes: 8 * 1024 * 1024 });
  await using relay = serve(
    (request) => answer() ?? fetch(app.url + new URL(request.url).pathname, { method: request.method }),
  );
  const location = relay.url + path;
  const client = createPortableClient(location);

  const failures = await Promise.all(
    [
      client.list(),
      client.get(1),
      client.create(createDraft()),
      client.update(1, { title: 'new' }),
      client.setArchived(1, true),
      client.search?.('word') ?? Promise.resolve(),
      client.labels(),
      client.readOriginsPage(0),
      client.readCreatedNotesPage([kept(1).createdAt], 0),
      scan(client),
      client.merge([kept(1)]),
    ].map(catchCodeAndMessage),
  );

  for (const [code, text] of failures) {
    expect(code).toBe('unreachable');
    expect(text).toMatch(new RegExp(`^${location} is not a notes service: it answered 404 to [A-Z]+ .*\\. ${advice}$`));
  }
});

test('knows a missing note from a missing service', async () => {
  await using app = serveApp(await openSqlite({ path: ':memory:' }), { maxBodyBytes: 8 * 1024 * 1024 });
  const client = createPortableClient(app.url);

  const failures = await Promise.all(
    [client.get(7), client.setArchived(7, true), client.update(7, {})].map(catchCodeAndMessage),
  );

  expect(failures).toEqual(Array(3).fill(['not_found', 'Note with ID 7 not found']));
});

test('sends the credentials in its address, and never prints them', async () => {
  const seen: (string | null)[] = [];
  await using proxy = serve((request) => {
    seen.push(request.headers.get('authorization'));
    return Response.json(new URL(request.url).pathname === '/merge' ? { results: [{ outcome: 'added' }] } : []);
  });
  const { host } = new URL(proxy.url);

  const client = createPortableClient(`http://user:secret@${host}/`);
  await client.list();
  await scan(client);
  await client.merge([kept(1)]);
  const error = await catchCodeAndMessage(createPortableClient('http://user:secret@127.0.0.1:1').list());

  expect(client.location).toBe(proxy.url);
  expect(seen).toEqual(Array(3).fill(`Basic ${btoa('user:secret')}`));
  expect(error).toEqual(['unreachable', 'No notes service answers at http://127.0.0.1:1']);
});
