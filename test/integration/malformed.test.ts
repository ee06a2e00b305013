/**
 * Malformed and hostile requests, sent byte by byte. None may take effect in part, put the connection out of step, or
 * reveal anything about the service.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as z from 'zod/mini';
import * as noteMessage from '../../src/core/message.ts';
import { categories, Note } from '../../src/core/note.ts';
import * as message from '../../src/service/http/message.ts';
import { eventually } from '../support/eventually.ts';
import { leak } from '../support/http/leak.ts';
import { type Answer, type Connection, connect } from '../support/http/raw.ts';
import { draft, jsonBody, type Service, startService } from '../support/service.ts';

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
const smuggled = JSON.stringify(draft({ title: 'smuggled' }));
const written = JSON.stringify(draft({ title: 'written' }));

const request = (line: string, headers = host, body = '') => `${line} HTTP/1.1\r\n${headers}\r\n${body}`;
const list = request('GET /api/notes');
const get = (target: string, headers = '') => request(`GET ${target}`, host + headers);
const withHeader = (header: string) => get('/api/notes', `${header}\r\n`);
const postWith = (headers: string, body: string) => request('POST /api/notes', `${host}${json}${headers}\r\n`, body);
const chunked = (body: string) => postWith('Transfer-Encoding: chunked', body);
const post = (body: Bytes, headers = json): Buffer => {
  const head = request('POST /api/notes', `${host}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n`);
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
};
const put = (id: string, body: string) =>
  request(`PUT /api/notes/${id}`, `${host}${json}Content-Length: ${body.length}\r\n`, body);
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const noteChunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n`;
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const titled = (json: string) => smuggled.replace('"smuggled"', json);

const byRuntime = (status: number): Seen => [`${status} empty`, 'closed'];
const answered = (status: number, error: string): Seen => [`${status} ${error}`, 'open'];
const refusedHost = answered(400, message.hostNotAllowed);
const listed: Seen = ['200 list', 'open'];
const tooDeep = answered(400, 'JSON must not be nested deeper than 64 levels');
const missingAll = noteMessage.missingFields(['title', 'content', 'category', 'group', 'color']);
const wrongCategory = answered(400, noteMessage.notOneOf('category', categories));
/** Answered before more bytes are read: the runtime drops later answers when more data follows their request. */
const quick = get('/api/nothing');
const notFound = `404 ${message.noSuchEndpoint('GET', '/api/nothing')}`;
const noSuch = (method: string, path: string) => answered(404, message.noSuchEndpoint(method, path));

const requestLines: readonly Row[] = [
  ['a method in lower case', request('get /api/notes'), ['closed']],
  ['HTTP/1.0, which ends its connection', list.replace('1.1', '1.0'), ['200 list', 'closed']],
  ['a head without its end', `GET /api/notes HTTP/1.1\r\n${host}`, ['waits']],
];

const hosts: readonly Row[] = [
  ['no Host', request('GET /api/notes', ''), byRuntime(400)],
  ['no Host in HTTP/1.0', 'GET /api/notes HTTP/1.0\r\n\r\n', [`400 ${message.hostNotAllowed}`, 'closed']],
  ['an empty Host', request('GET /api/notes', 'Host:\r\n'), refusedHost],
  ['a foreign Host after ours', request('GET /api/notes', `${host}Host: evil.example\r\n`), refusedHost],
  ['a foreign Host before ours', request('GET /api/notes', `Host: evil.example\r\n${host}`), refusedHost],
  ['a foreign Host on a write', request('PATCH /api/notes/1/archive', 'Host: evil.example\r\n'), refusedHost],
  [
    'an absolute target, foreign Host',
    request('GET http://127.0.0.1/api/notes', 'Host: evil.example\r\n'),
    refusedHost,
  ],
  // The Host header decides, as browsers always send it, although RFC 9112 prefers the target.
  ['an absolute foreign target, our Host', request('GET http://evil.example/api/notes'), listed],
  ['a target with another scheme', request('GET file:///etc/passwd'), byRuntime(400)],
];

const lengths: readonly Row[] = [
  [
    'a length and chunks',
    postWith('Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n${post(smuggled)}`),
    byRuntime(400),
  ],
  [
    'chunks and a length',
    postWith('Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${post(smuggled)}`),
    byRuntime(400),
  ],
  ['two lengths', postWith('Content-Length: 2\r\nContent-Length: 300', `{}${post(smuggled)}`), byRuntime(400)],
  ['two equal lengths', postWith('Content-Length: 2\r\nContent-Length: 2', '{}'), answered(400, missingAll)],
  ['a length of 2^53 + 1', postWith('Content-Length: 9007199254740993', '{}'), byRuntime(413)],
  [
    'a length over the limit',
    postWith('Content-Length: 100000000', '{}'),
    [`400 ${message.bodyTooLarge(8 * 1024 * 1024)}`, 'waits'], // for the rest, to skip it
  ],
  ['a length longer than the body', postWith('Content-Length: 500', smuggled), ['waits']],
  [
    'a length shorter than the body',
    postWith('Content-Length: 2', `{}${smuggled}`),
    [`400 ${missingAll}`, '400 empty', 'closed'],
  ],
  [
    'a body without a length',
    request('POST /api/notes', host + json, smuggled),
    [`400 ${message.malformedJson}`, '400 empty', 'closed'],
  ],
  ['neither length nor body', request('POST /api/notes', host + json), answered(400, message.malformedJson)],
];

const codings: readonly Row[] = [
  ['a chunk extension', chunked('2;a=b\r\n{}\r\n0\r\n\r\n'), answered(400, missingAll)],
  ['a trailer behind a note', chunked(`${noteChunk}0\r\nX: y\r\n\r\n`), byRuntime(400)],
  [
    'an announced trailer',
    postWith('Transfer-Encoding: chunked\r\nTrailer: X', `${noteChunk}0\r\nX: y\r\n\r\n`),
    [`400 ${message.trailers}`, '400 empty', 'closed'],
  ],
  ['a request behind a trailer', chunked(`0\r\nContent-Length: 5\r\n\r\n${post(smuggled)}`), byRuntime(400)],
  ['chunks without the last one', chunked(`${smuggled.length.toString(16)}\r\n${smuggled}\r\n`), ['waits']],
];

const headers: readonly Row[] = [
  ['bytes that are not ASCII in a value', latin1(withHeader('X: \xff\xfe')), listed],
  ['a header of 20 KB', withHeader(`X: ${'a'.repeat(20_000)}`), byRuntime(431)],
  ['300 headers', withHeader(Array.from({ length: 300 }, (_, n) => `X-${n}: y`).join('\r\n')), byRuntime(431)],
  ['an entity tag that does not end', withHeader('If-None-Match: "'), listed],
];

const targets: readonly Row[] = [
  ['a target of 20 KB', get(`/api/notes?x=${'a'.repeat(20_000)}`), byRuntime(431)],
  ['%00 after an id', get('/api/notes/1%00'), answered(404, noteMessage.noSuchNote('1%00'))],
  ['%2F for a slash', request('PATCH /api/notes/1%2Farchive'), noSuch('PATCH', '/api/notes/1%2Farchive')],
  ['%65 in a word', request('PATCH /api/notes/1/archiv%65'), noSuch('PATCH', '/api/notes/1/archiv%65')],
  ['an invalid escape', get('/api/notes/%zz'), answered(404, noteMessage.noSuchNote('%zz'))],
  ['two slashes in front', get('//api/notes'), noSuch('GET', '//api/notes')],
  ['a path parameter', get('/api/notes;x=y'), noSuch('GET', '/api/notes;x=y')],
  ['a fragment', get('/api/notes#x'), noSuch('GET', '/api/notes#x')],
  ['dots that lead out', get('/../../../../etc/passwd'), noSuch('GET', '/etc/passwd')],
  ['SQL in a filter', get("/api/notes?category=notes'%20OR%201=1--"), wrongCategory],
];

const methods: readonly Row[] = [
  [
    'CONNECT to a target that is no path',
    request('CONNECT x?y'),
    [`404 ${message.noSuchEndpoint('CONNECT', 'x')}`, 'waits'],
  ],
  [
    'a method behind another one',
    request('POST /api/notes/1/archive', `${host}X-HTTP-Method-Override: PATCH\r\nContent-Length: 0\r\n`),
    noSuch('POST', '/api/notes/1/archive'),
  ],
  ['a request as the body of GET', post(post(smuggled)).toString().replace('POST', 'GET'), listed],
  ['a request as the body of HEAD', post(post(smuggled)).toString().replace('POST', 'HEAD'), ['200 empty', 'open']],
  [
    'a request as the body of DELETE',
    post(post(smuggled)).toString().replace('POST', 'DELETE'),
    noSuch('DELETE', '/api/notes'),
  ],
];

const protocols: readonly Row[] = [
  [
    'an upgrade to WebSocket',
    withHeader(
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ),
    listed,
  ],
  ['an expectation, and no body', postWith('Expect: 100-continue\r\nContent-Length: 99', ''), ['100 empty', 'waits']],
  ['two requests at once', quick + quick, [notFound, notFound, 'open']],
];

const bodies: readonly Row[] = [
  ['a NUL', post(titled('"a\0b"')), answered(400, message.malformedJson)],
  ['an array 100,000 deep', post(deep(100_000)), tooDeep],
  ['100,000 brackets that stay open', post('['.repeat(100_000)), tooDeep],
  ['an object 100,000 deep', post(`${'{"title":'.repeat(100_000)}1${'}'.repeat(100_000)}`), tooDeep],
  ['an array of a short body, 1,000 deep', post(deep(1_000)), answered(400, message.notAnObject)],
  ['a field 100,000 deep', post(titled(deep(100_000))), tooDeep],
  ['fields in the prototype', post(`{"__proto__":${smuggled}}`), answered(400, missingAll)],
  [
    '20,000 keys',
    post(`{${'"key":1,'.repeat(20_000)}"key":1}`),
    answered(400, 'JSON must not hold more than 10000 texts, commas and opening brackets'),
  ],
  ['two types', post(smuggled, `${json}Content-Type: text/plain\r\n`), answered(400, message.wrongContentType)],
  ['an id that rounds to another', put('1', '{"id":1.0000000000000001e1}'), answered(400, noteMessage.idMismatch)],
];

/** Unusual but valid requests, or those past refusal: each writes its `notes` once. */
const effective: readonly (readonly [...Row, notes: number])[] = [
  ['chunks', chunked(`${written.length.toString(16)}\r\n${written}\r\n0\r\n\r\n`), ['200 note', 'open'], 1],
  [
    'an expectation and its body',
    postWith(`Expect: 100-continue\r\nContent-Length: ${written.length}`, written),
    ['100 empty', '200 note', 'open'],
    1,
  ],
  ['a content coding that was not used', post(written, `${json}Content-Encoding: gzip\r\n`), ['200 note', 'open'], 1],
  // See `quick`. RFC 9112 advises clients against that.
  ['two creates at once', Buffer.concat([post(written), post(smuggled)]), ['closed'], 1],
  ['text after a create', Buffer.concat([post(written), Buffer.from('garbage\r\n\r\n')]), byRuntime(400), 1],
];

let service: Service;

const Notes = z.array(Note);
const storedNotes = async () => Notes.parse(await (await fetch(`${service.url}/api/notes`)).json());

beforeAll(async () => {
  service = await startService();
  await fetch(`${service.url}/api/notes`, jsonBody(draft({ title: 'the first' })));
});
afterAll(() => service.stop());

/** Sends bytes and collects as many answers as expected; then tests whether the connection still works. */
async function send(bytes: Bytes, expected: Seen): Promise<string[]> {
  using connection = await connect(service.port);
  const method = String(bytes.slice(0, 4)) === 'HEAD' ? 'HEAD' : 'GET';
  connection.send(bytes);
  const seen: string[] = [];
  for (const _ of expected.slice(0, -1)) {
    const answer = await answerOn(connection, method);
    if (typeof answer === 'string') return [...seen, answer];
    seen.push(describeAnswer(answer));
  }
  return [...seen, await endOf(connection, expected.at(-1))];
}

async function endOf(connection: Connection, expected: string | undefined): Promise<string> {
  if (expected === 'waits') {
    await storedNotes(); // by now the service has read our bytes
    if (connection.received().length > 0) return connection.received().toString();
    connection.socket.end();
    await connection.closed;
    return 'waits';
  }
  if (expected === 'open') connection.send(get('/healthz'));
  const answer = await answerOn(connection);
  if (typeof answer === 'string') return answer;
  return answer.body.startsWith('{"status":"alive"') ? 'open' : describeAnswer(answer);
}

/** A service that neither answers nor closes the connection fails only its row. */
const answerOn = (connection: Connection, method = 'GET') =>
  Promise.race([connection.answer(method), Bun.sleep(4_000).then(() => 'silence' as const)]);

/** Status and error, or the kind of the body. Anything but the JSON of the interface is shown unchanged. */
function describeAnswer({ status, headers, body }: Answer): string {
  if (body === '') return `${status} empty`;
  const json: unknown = JSON.parse(body);
  expect(headers.get('content-type')).toBe('application/json');
  if (Notes.safeParse(json).success) return `${status} list`;
  if (z.strictObject(Note.shape).safeParse(json).success) return `${status} note`;
  const problem = z.strictObject({ error: z.string() }).safeParse(json);
  return problem.success ? `${status} ${problem.data.error}` : `${status} ${body}`;
}

describe.each([
  ['request line', requestLines],
  ['Host', hosts],
  ['length', lengths],
  ['transfer coding', codings],
  ['header', headers],
  ['target', targets],
  ['method', methods],
  ['protocol', protocols],
  ['body', bodies],
])('%s:', (_, rows) => {
  test.each(rows)('%s does no harm', async (_, bytes, expected) => {
    const notes = await storedNotes();

    const seen = await send(bytes, expected);

    expect(seen).toEqual([...expected]);
    expect(seen.join()).not.toMatch(leak);
    expect(await storedNotes()).toEqual(notes);
  });
});

test('a request that needs no body changes nothing if its body is broken', async () => {
  const broken = request('PATCH /api/notes/1/archive', `${host}Transfer-Encoding: chunked\r\n`, 'zz\r\n');

  expect(await send(broken, byRuntime(400))).toEqual([...byRuntime(400)]);

  await fetch(`${service.url}/api/notes`, jsonBody(draft({ title: 'after it' }))); // writes are stored in order
  expect(await storedNotes()).not.toContainEqual(expect.objectContaining({ archived: true }));
});

test.each(effective)('%s: written once, and nothing else', async (_, bytes, expected, count) => {
  const notes = await storedNotes();

  const seen = await send(bytes, expected);

  expect(seen).toEqual([...expected]);
  // A write without an answer may take effect after the connection has ended.
  await eventually(async () => (await storedNotes()).length >= notes.length + count);
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
    using connection = await connect(service.port);

    for (const byte of Buffer.from(bytes.toString().replace('smuggled', 'by bytes'))) {
      connection.send(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }

    expect(await connection.answer()).toMatchObject({ status: 200 });
    expect((await storedNotes()).slice(notes.length)).toMatchObject([{ title: 'by bytes' }]);
  });
});

async function breakOff(bytes: Uint8Array, hangUp: 'end' | 'resetAndDestroy'): Promise<void> {
  using connection = await connect(service.port);
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
