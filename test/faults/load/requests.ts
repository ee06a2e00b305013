/** Random requests, from valid to nonsense, but each complete, so that the next one can follow. */
import fc from 'fast-check';
import { categories, colors, groups } from '../../../src/core/note.ts';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: Uint8Array | undefined;
}

export interface FuzzedRequest {
  readonly call: Call;
  readonly query: string;
  /** Header lines without line ends, except those that frame the body. */
  readonly headers: readonly string[];
  readonly isChunked: boolean;
}

/** Methods that the runtime accepts. For others, it closes the connection. */
export const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'] as const;
const methods = fc.constantFrom(...knownMethods, ...knownMethods, 'FOO', 'get');

/** Generates a rare value one time in ten. */
const arbitraryWithRareValue = <Common, Rare>(common: fc.Arbitrary<Common>, rare: fc.Arbitrary<Rare>) =>
  fc.oneof({ weight: 9, arbitrary: common }, { weight: 1, arbitrary: rare });

const draftFields = {
  title: fc.string({ minLength: 1, unit: 'grapheme' }),
  content: fc.string({ minLength: 1, maxLength: 2_000, unit: 'grapheme' }),
  category: fc.constantFrom(...categories),
  group: fc.constantFrom(...groups),
  color: fc.constantFrom(...colors),
};
const fieldNames = fc.constantFrom(...Object.keys(draftFields), 'id', 'archived', 'createdAt', '__proto__');
const anyValue = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constantFrom('\0', '\ud800', ''));

const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value));

/** A valid JSON object, one with an invalid field, any JSON, or no JSON at all. */
function arbitraryBody<Fields extends object>(fitting: fc.Arbitrary<Fields>): fc.Arbitrary<Uint8Array> {
  const damaged = fc
    .tuple(fitting, fieldNames, anyValue)
    .map(([fields, name, value]) => encodeJson({ ...fields, [name]: value }));
  const cut = fc.tuple(fitting, fc.nat(100)).map(([fields, length]) => encodeJson(fields).subarray(0, length));
  const others = fc.oneof(damaged, damaged, cut, fc.jsonValue().map(encodeJson), fc.uint8Array({ maxLength: 200 }));
  return fc.oneof(fitting.map(encodeJson), others);
}

/** A segment of a path or query, which spaces and line ends would end. */
const anySegment = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll(/[\s\0]/g, ''));

/** Ids of notes that may exist, and some that never will. */
const ids = arbitraryWithRareValue(fc.integer({ min: 1, max: 30 }), fc.integer());
const idTexts = arbitraryWithRareValue(
  ids.map(String),
  fc.oneof(anySegment, fc.constantFrom('01', '1.0', '%31', '-1', '1e0', '1%00')),
);
const anyPath = fc.oneof(
  fc.constantFrom('/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/', '*', '//', '/%', '/api/notes/'),
  fc.array(anySegment).map((segments) => `/${segments.join('/')}`),
  fc.tuple(idTexts, anySegment).map(([id, action]) => `/api/notes/${id}/${action}`),
);

const draft = arbitraryBody(fc.record(draftFields));
const list = fc.record({ method: fc.constantFrom('GET', 'GET', 'HEAD'), path: fc.constant('/api/notes') });
const create = fc.record({ method: fc.constant('POST'), path: fc.constant('/api/notes'), body: draft });
const read = fc.record({ method: fc.constant('GET'), path: idTexts.map((id) => `/api/notes/${id}`) });
const update = ids.chain((id) =>
  fc.record({
    method: fc.constant('PUT'),
    path: fc.constant(`/api/notes/${id}`),
    body: arbitraryBody(
      fc.record({ id: arbitraryWithRareValue(fc.constant(id), ids), ...draftFields }, { requiredKeys: ['id'] }),
    ),
  }),
);
const archive = fc.record({
  method: fc.constant('PATCH'),
  path: fc.tuple(idTexts, fc.constantFrom('archive', 'unarchive')).map((words) => `/api/notes/${words.join('/')}`),
  body: fc.option(draft, { nil: undefined }),
});
const anyCall = fc.record({
  method: methods,
  path: fc.oneof(anyPath, fc.constant('/api/notes')),
  body: fc.option(draft, { nil: undefined }),
});

const parameter = fc.oneof(
  fc.constantFrom('archived=true', 'archived=false', 'archived=', 'group=first', 'category=css', 'category=CSS'),
  fc.tuple(anySegment, anySegment).map((pair) => pair.join('=')),
);
const queries = fc.array(parameter, { minLength: 1, maxLength: 3 }).map((parameters) => `?${parameters.join('&')}`);

const fieldText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
const headerLine = fc.oneof(
  fc.constantFrom('Host: evil.example', 'Host: localhost:1', 'Content-Type: text/plain', 'Origin: https://a.example'),
  fc.constantFrom(
    'If-Match: *',
    'If-None-Match: *',
    'Accept-Encoding: zstd',
    'Accept-Encoding: br, gzip',
    'Accept-Encoding: gzip;q=0.5, *;q=0',
  ),
  fc
    .tuple(
      fc.constantFrom('If-Match', 'If-None-Match', 'Accept-Encoding', 'Content-Type', 'Cookie', 'X-Any'),
      fieldText,
    )
    .map((pair) => pair.join(': ')),
);
const usual = ['Host: 127.0.0.1', 'Content-Type: application/json'];
const unusual = fc
  .tuple(arbitraryWithRareValue(fc.constant(usual), fc.subarray(usual)), fc.array(headerLine, { maxLength: 3 }))
  .map((lines) => lines.flat());

export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc.record({
  call: fc.oneof(list, create, create, read, update, archive, anyCall),
  query: fc.oneof(fc.constant(''), fc.constant(''), queries),
  headers: fc.oneof(fc.constant(usual), fc.constant(usual), unusual),
  isChunked: fc.boolean(),
});

/** The bytes of a request: its target in UTF-8, its headers in Latin 1. */
export function encodeRequest({ call: { method, path, body }, query, headers, isChunked }: FuzzedRequest): Buffer {
  const lines = headers.map((line) => `${line}\r\n`).join('');
  const head = Buffer.concat([Buffer.from(`${method} ${path}${query} HTTP/1.1\r\n`), Buffer.from(lines, 'latin1')]);
  if (body === undefined) return Buffer.concat([head, Buffer.from('\r\n')]);
  if (!isChunked) return Buffer.concat([head, Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  const [before, after] = body.length > 0 ? [`${body.length.toString(16)}\r\n`, '\r\n'] : ['', ''];
  const chunks = [Buffer.from(`Transfer-Encoding: chunked\r\n\r\n${before}`), body, Buffer.from(`${after}0\r\n\r\n`)];
  return Buffer.concat([head, ...chunks]);
}
