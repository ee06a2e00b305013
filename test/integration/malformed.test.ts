/**
 * Malformed and hostile requests, sent byte by byte. None may take effect in part, put the connection out of step, or
 * reveal anything about the service.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as z from 'zod/mini';
import * as noteMessage from '../../src/core/error-messages.ts';
import { Note } from '../../src/core/note.ts';
import * as message from '../../src/service/http/http-messages.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { leak } from '../support/http/leak.ts';
import { type Connection, openConnection, type RawResponse } from '../support/http/raw-http-connection.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, type Service, startService } from '../support/service.ts';

type Bytes = string | Uint8Array;

/**
 * The expected answers in order, then the state of the connection. `400 empty` is the runtime's own answer, before any
 * code of the service ran; `open`: a further request on the connection is answered; `closed`: the service closed it;
 * `waits`: the service waits for the rest of the request.
 */
type Seen = readonly [...answers: string[], connection: 'open' | 'closed' | 'waits'];

type Row = readonly [what: string, request: Bytes, seen: Seen];

const host = 'Host: 127.0.0.1\r\n';
const json = 'Content-Type: application/json\r\n';
const smuggled = JSON.stringify(createDraft({ title: 'smuggled' }));
const written = JSON.stringify(createDraft({ title: 'written' }));

const request = (line: string, headers = host, body = '') => `${line} HTTP/1.1\r\n${headers}\r\n${body}`;
const get = (target: string) => request(`GET ${target}`);
const postWith = (headers: string, body: string) => request('POST /api/notes', `${host}${json}${headers}\r\n`, body);
const chunked = (body: string) => postWith('Transfer-Encoding: chunked', body);
const post = (body: Bytes, headers = json): Buffer => {
  const head = request('POST /api/notes', `${host}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n`);
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
};
const put = (id: string, body: string) =>
  request(`PUT /api/notes/${id}`, `${host}${json}Content-Length: ${body.length}\r\n`, body);
const noteChunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n`;
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const titled = (json: string) => smuggled.replace('"smuggled"', json);

const byRuntime = (status: number): Seen => [`${status} empty`, 'closed'];
const answered = (status: number, error: string): Seen => [`${status} ${error}`, 'open'];
const refusedHost = answered(400, message.hostNotAllowed);
const listed: Seen = ['200 list', 'open'];
const tooDeep = answered(400, 'JSON must not be nested deeper than 64 levels');
const missingAll = noteMessage.missingFields(['title', 'content', 'category', 'group', 'color']);
const noSuch = (method: string, path: string) => answered(404, message.formatNoSuchEndpoint(method, path));

const heads: readonly Row[] = [
  ['a method in lower case', request('get /api/notes'), ['closed']],
  ['an empty Host', request('GET /api/notes', 'Host:\r\n'), refusedHost],
  ['a foreign Host after ours', request('GET /api/notes', `${host}Host: evil.example\r\n`), refusedHost],
  ['a foreign Host before ours', request('GET /api/notes', `Host: evil.example\r\n${host}`), refusedHost],
  ['a foreign Host on a write', request('PATCH /api/notes/1/archive', 'Host: evil.example\r\n'), refusedHost],
  // The Host header decides, as browsers always send it, although RFC 9112 prefers the target.
  ['an absolute foreign target, our Host', request('GET http://evil.example/api/notes'), listed],
  ['%00 after an id', get('/api/notes/1%00'), answered(404, noteMessage.noSuchNote('1%00'))],
  ['%2F for a slash', request('PATCH /api/notes/1%2Farchive'), noSuch('PATCH', '/api/notes/1%2Farchive')],
  ['%65 in a word', request('PATCH /api/notes/1/archiv%65'), noSuch('PATCH', '/api/notes/1/archiv%65')],
  ['an invalid escape', get('/api/notes/%zz'), answered(404, noteMessage.noSuchNote('%zz'))],
  ['dots that lead out', get('/../../../../etc/passwd'), noSuch('GET', '/etc/passwd')],
  [
    'a method behind another one',
    request('POST /api/notes/1/archive', `${host}X-HTTP-Method-Override: PATCH\r\nContent-Length: 0\r\n`),
    noSuch('POST', '/api/notes/1/archive'),
  ],
];

const lengths: readonly Row[] = [
  [
    'a length and chunks',
    postWith('Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n${post(smuggled)}`),
    byRuntime(400),
  ],
  ['two lengths', postWith('Content-Length: 2\r\nContent-Length: 300', `{}${post(smuggled)}`), byRuntime(400)],
  [
    'a length over the limit',
    postWith('Content-Length: 100000000', '{}'),
    [`400 ${message.formatBodyTooLarge(8 * 1024 * 1024)}`, 'waits'], // for the rest, to skip it
  ],
  ['a length longer than the body', postWith('Content-Length: 500', smuggled), ['waits']],
  [
    'a length shorter than the body',
    postWith('Content-Length: 2', `{}${smuggled}`),
    [`400 ${missingAll}`, '400 empty', 'closed'],
  ],
  ['neither length nor body', request('POST /api/notes', host + json), answered(400, message.malformedJson)],
  [
    'an announced trailer',
    postWith('Transfer-Encoding: chunked\r\nTrailer: X', `${noteChunk}0\r\nX: y\r\n\r\n`),
    [`400 ${message.trailers}`, '400 empty', 'closed'],
  ],
  ['a request as the body of GET', post(post(smuggled)).toString().replace('POST', 'GET'), listed],
];

const bodies: readonly Row[] = [
  ['an array 100,000 deep', post(deep(100_000)), tooDeep],
  ['100,000 brackets that stay open', post('['.repeat(100_000)), tooDeep],
  ['an object 100,000 deep', post(`${'{"title":'.repeat(100_000)}1${'}'.repeat(100_000)}`), tooDeep],
  ['a field 100,000 deep', post(titled(deep(100_000))), tooDeep],
  ['fields in the prototype', post(`{"__proto__":${smuggled}}`), answered(400, missingAll)],
  [
    '20,000 keys',
    post(`{${'"key":1,'.repeat(20_000)}"key":1}`),
    answered(400, 'JSON must not hold more than 10000 texts, commas and opening brackets'),
  ],
  [
    'a content coding, even if it was not used',
    post(smuggled, `${json}Content-Encoding: gzip\r\n`),
    answered(400, message.formatUnsupportedContentEncoding('gzip')),
  ],
  ['an id that rounds to another', put('1', '{"id":1.0000000000000001e1}'), answered(400, noteMessage.idMismatch)],
];

/** Unusual but valid requests, or those past refusal: each writes its `notes` once. */
const effective: readonly (readonly [...Row, notes: number])[] = [
  ['chunks', chunked(`${written.length.toString(16)}\r\n${written}\r\n0\r\n\r\n`), ['200 note', 'open'], 1],
  // The runtime drops later answers when more data follows their request. RFC 9112 advises clients against that.
  ['two creates at once', Buffer.concat([post(written), post(smuggled)]), ['closed'], 1],
];

let service: Service;

const Notes = z.array(Note);
const storedNotes = async () => Notes.parse(await (await fetch(`${service.url}/api/notes`)).json());

beforeAll(async () => {
  service = await startService();
  await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ title: 'the first' })));
});
afterAll(() => service.stop());

/** Sends bytes and collects as many answers as expected; then tests whether the connection still works. */
async function send(bytes: Bytes, expected: Seen): Promise<string[]> {
  using connection = await openConnection(service.port);
  connection.send(bytes);
  const seen: string[] = [];
  for (const _ of expected.slice(0, -1)) {
    const answer = await connection.receiveResponse();
    if (typeof answer === 'string') return [...seen, answer];
    seen.push(describeAnswer(answer));
  }
  return [...seen, await describeEnd(connection, expected.at(-1))];
}

async function describeEnd(connection: Connection, expected: string | undefined): Promise<string> {
  if (expected === 'waits') {
    await storedNotes(); // by now the service has read our bytes
    if (connection.received().length > 0) return connection.received().toString();
    connection.socket.end();
    await connection.closed;
    return 'waits';
  }
  if (expected === 'open') connection.send(get('/healthz'));
  const answer = await connection.receiveResponse();
  if (typeof answer === 'string') return answer;
  return answer.body.startsWith('{"status":"alive"') ? 'open' : describeAnswer(answer);
}

/** Status and error, or the kind of the body. Anything but the JSON of the interface is shown unchanged. */
function describeAnswer({ status, headers, body }: RawResponse): string {
  if (body === '') return `${status} empty`;
  const json: unknown = JSON.parse(body);
  expect(headers.get('content-type')).toBe('application/json');
  if (Notes.safeParse(json).success) return `${status} list`;
  if (z.strictObject(Note.shape).safeParse(json).success) return `${status} note`;
  const problem = z.strictObject({ error: z.string() }).safeParse(json);
  return problem.success ? `${status} ${problem.data.error}` : `${status} ${body}`;
}

test.each([...heads, ...lengths, ...bodies])('%s does no harm', async (_, bytes, expected) => {
  const notes = await storedNotes();

  const seen = await send(bytes, expected);

  expect(seen).toEqual([...expected]);
  expect(seen.join()).not.toMatch(leak);
  expect(await storedNotes()).toEqual(notes);
});

test('a request that needs no body changes nothing if its body is broken', async () => {
  const broken = request('PATCH /api/notes/1/archive', `${host}Transfer-Encoding: chunked\r\n`, 'zz\r\n');

  expect(await send(broken, byRuntime(400))).toEqual([...byRuntime(400)]);

  await fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ title: 'after it' }))); // writes are stored in order
  expect(await storedNotes()).not.toContainEqual(expect.objectContaining({ archived: true }));
});

test.each(effective)('%s: written once, and nothing else', async (_, bytes, expected, count) => {
  const notes = await storedNotes();

  const seen = await send(bytes, expected);

  expect(seen).toEqual([...expected]);
  // A write without an answer may take effect after the connection has ended.
  await isEventuallyTrue(async () => (await storedNotes()).length >= notes.length + count);
  const now = await storedNotes();
  expect(now.slice(0, notes.length)).toEqual(notes);
  expect(now.slice(notes.length).map((note) => note.title)).toEqual(Array.from({ length: count }, () => 'written'));
});

const inChunks = Buffer.from(chunked(`${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`));

describe.each([
  ['a body of a known length', post(smuggled), post(smuggled).length],
  ['chunks', inChunks, inChunks.length - 2], // complete once the line of the last chunk is sent (RFC 9112, 8)
])('a create with %s', (_, bytes, complete) => {
  test.each(['end', 'resetAndDestroy'] as const)('that breaks off at any byte (%s) stores nothing', async (hangUp) => {
    const cuts = Array.from({ length: complete }, (_, cut) => cut);
    const notes = await storedNotes();

    await Promise.all(cuts.map((cut) => breakOff(bytes.subarray(0, cut), hangUp)));

    expect(await storedNotes()).toEqual(notes);
  });

  test('that arrives byte by byte is stored once', async () => {
    const notes = await storedNotes();
    using connection = await openConnection(service.port);

    for (const byte of Buffer.from(bytes.toString().replace('smuggled', 'by bytes'))) {
      connection.send(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }

    expect(await connection.receiveResponse()).toMatchObject({ status: 200 });
    expect((await storedNotes()).slice(notes.length)).toMatchObject([{ title: 'by bytes' }]);
  });
});

async function breakOff(bytes: Uint8Array, hangUp: 'end' | 'resetAndDestroy'): Promise<void> {
  using connection = await openConnection(service.port);
  connection.send(bytes);
  await new Promise((resolve) => connection.socket.write('', resolve));
  connection.socket[hangUp]();
  await connection.closed;
}

test('nothing was smuggled in later, and the service logged no error', async () => {
  const titles = (await storedNotes()).map((note) => note.title);
  expect(titles).not.toContain('smuggled');
  expect(service.log).toHaveLength(1);
  expect(service.process.exitCode).toBeNull();
});
