/**
 * Access control by Host, Origin and Content-Type: requests as sent by programs, or by browsers for pages of other
 * sites. Each row states the response, whether the note was stored, and the CORS grants.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Answer, connect } from '../support/http/raw.ts';
import { draft, notesIn, type Service, startService } from '../support/service.ts';
import { report } from './report.ts';

/** How a request differs from a create with a JSON body on 127.0.0.1; undefined omits a header. */
interface Request {
  readonly method?: string;
  readonly host?: string | undefined;
  readonly origin?: string;
  readonly type?: string | undefined;
  /** Further header lines. */
  readonly more?: string;
}

/** The origin that may read the response, then the methods that a preflight grants it; 'none' for no origin. */
type Granted = string;
type Row = readonly [what: string, request: Request, status: number, stored: boolean, granted: Granted];

const a = 'https://a.example';
const methods = 'GET,HEAD,POST,PUT,PATCH';
const preflight = (origin: string, asked = 'POST'): Request => ({
  method: 'OPTIONS',
  origin,
  type: undefined,
  more: `Access-Control-Request-Method: ${asked}\r\nAccess-Control-Request-Headers: content-type\r\n`,
});

/** The default configuration, bound to a loopback address. */
const byDefault: readonly Row[] = [
  ['the address', { host: '127.0.0.1:3000' }, 200, true, 'none'],
  ['localhost', { host: 'localhost' }, 200, true, 'none'],
  ['a name under localhost', { host: 'notes.localhost' }, 200, true, 'none'],
  ['IPv6', { host: '[::1]:3000' }, 200, true, 'none'],
  ['a name that was rebound to the address', { host: 'evil.example:3000' }, 400, false, 'none'],
  ['a name that begins with localhost', { host: 'localhost.evil.example' }, 400, false, 'none'],
  ['localhost with the dot of a full name', { host: 'localhost.' }, 400, false, 'none'],
  ['a preflight of a foreign page', preflight(a), 403, false, 'none'],
  ['a foreign page with JSON, without a preflight', { origin: a }, 403, false, 'none'],
  ['a foreign page as a form sends it', { origin: a, type: 'text/plain' }, 403, false, 'none'],
  ['a foreign page whose browser hides it', { more: 'Sec-Fetch-Site: cross-site\r\n' }, 403, false, 'none'],
  ['the page itself', { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }, 200, true, 'none'],
  ['a page without an origin as a form sends it', { origin: 'null', type: 'text/plain' }, 403, false, 'none'],
  ['a rebound page of the same origin', { host: 'evil.example', origin: 'http://evil.example' }, 400, false, 'none'],
];

const types: readonly Row[] = [
  ...['application/json', 'application/json; charset=utf-8', 'Application/JSON'].map(
    (type): Row => [`Content-Type ${type}`, { type }, 200, true, 'none'],
  ),
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    '',
    undefined,
  ].map((type): Row => [`Content-Type ${type}`, { type }, 400, false, 'none']),
];

/** Bound to a loopback address, with one host and one origin allowed. */
const listed: readonly Row[] = [
  ['the listed host', { host: 'notes.lan' }, 200, true, 'none'],
  ['a name that ends like the listed host', { host: 'evilnotes.lan' }, 400, false, 'none'],
  ['the listed origin', { origin: a }, 200, true, a],
  ['the listed origin on a foreign host', { origin: a, host: 'evil.example' }, 400, false, 'none'],
  ['another origin', { origin: 'https://b.example' }, 403, false, 'none'],
  ['an origin that begins like the listed one', { origin: `${a}.evil.example` }, 403, false, 'none'],
  ['no origin of its own (null)', { origin: 'null' }, 403, false, 'none'],
  ['a preflight of the listed origin', preflight(a), 204, false, `${a}: ${methods}`],
  ['a preflight of another origin', preflight('https://b.example'), 204, false, 'none'],
  ['the listed origin as a form sends it', { origin: a, type: 'text/plain' }, 400, false, a],
];

/** Any origin is allowed; the host is still checked. */
const open: readonly Row[] = [
  ['any origin', { origin: 'https://b.example' }, 200, true, '*'],
  ['no origin of its own (null)', { origin: 'null' }, 200, true, '*'],
  ['a preflight of any origin', preflight('https://b.example'), 204, false, `*: ${methods}`],
  ['any origin on a foreign host', { origin: a, host: 'evil.example' }, 400, false, 'none'],
  ['any origin as a form sends it', { origin: a, type: 'multipart/form-data; boundary=x' }, 400, false, '*'],
];

const header = (name: string, value: string | undefined) => (value === undefined ? '' : `${name}: ${value}\r\n`);

async function send(service: Service, request: Request): Promise<Answer> {
  const { method = 'POST', origin, more = '' } = request;
  const host = 'host' in request ? request.host : '127.0.0.1';
  const type = 'type' in request ? request.type : 'application/json';
  const body = method === 'POST' ? JSON.stringify(draft()) : '';
  const head = `${method} /api/notes HTTP/1.1\r\n${header('Host', host)}${header('Origin', origin)}${header('Content-Type', type)}`;
  using connection = await connect(service.port);
  connection.send(`${head}${more}Content-Length: ${body.length}\r\n\r\n${body}`);
  const answer = await connection.answer();
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

function grantedBy({ headers }: Answer): Granted {
  const origin = headers.get('access-control-allow-origin');
  if (origin === undefined) return 'none';
  const methods = headers.get('access-control-allow-methods');
  return methods === undefined ? origin : `${origin}: ${methods}`;
}

const tables: [string, Record<string, string>, readonly Row[]][] = [
  ['by default', {}, [...byDefault, ...types]],
  ['with a host and an origin listed', { ALLOWED_HOSTS: 'notes.lan', CORS_ORIGINS: a }, listed],
  ['with all origins allowed', { CORS_ORIGINS: '*' }, open],
];

describe.each(tables)('%s:', (_, env, rows) => {
  let service: Service;
  const count = async () => (await notesIn(fetch(`${service.url}/api/notes`))).length;
  beforeAll(async () => {
    service = await startService(env);
  });
  afterAll(() => service.stop());

  test.each([...rows])('%s', async (_, request, status, stored, granted) => {
    const before = await count();

    const answer = await send(service, request);

    expect({
      status: answer.status,
      stored: (await count()) > before,
      granted: grantedBy(answer),
      credentials: answer.headers.has('access-control-allow-credentials'),
    }).toEqual({ status, stored, granted, credentials: false });
    if (status >= 400) expect(Object.keys(JSON.parse(answer.body))).toEqual(['error']);
  });
});

afterAll(() => {
  const rows = tables.flatMap(([, , rows]) => rows);
  const stored = rows.filter(([, , , stored]) => stored).length;
  report(16, `${rows.length} rows: ${stored} stored, ${rows.length - stored} refused or only granted`);
});
