import { expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Context, Hono } from 'hono';
import { addPageRoutes, type LoadPage } from './page-routes.ts';

const encodeText = (text: string) => new TextEncoder().encode(text);
const html = '<!doctype html>'.repeat(100);
const files = [
  { path: '', type: 'text/html', bytes: encodeText(html) },
  { path: 'service-worker.js', type: 'text/javascript', bytes: encodeText('go();') },
  { path: 'assets/main-1.js', type: 'text/javascript', bytes: encodeText('go();'.repeat(100)) },
];

function serve(load: LoadPage = async () => files) {
  const app = new Hono();
  app.onError(({ message }) => new Response(message, { status: 500 }));
  addPageRoutes((method, path, handler) => void app.on(method, path, (c: Context) => handler(c)), load);
  return (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });
}

test('the page is revalidated each time, its files are immutable', async () => {
  const ask = serve();

  const [page, worker, script] = await Promise.all(
    ['/', '/service-worker.js', '/assets/main-1.js'].map((path) => ask(path)),
  );
  if (!page || !worker || !script) throw new Error('no response');

  expect([page, worker].map(({ headers }) => headers.get('cache-control'))).toEqual(['no-cache', 'no-cache']);
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect([page, script].map(({ headers }) => headers.get('content-type'))).toEqual(['text/html', 'text/javascript']);
  expect(page.headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types notes',
  ]);
});

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, zstd: Bun.zstdDecompressSync } as const;

test.each(['br', 'gzip', 'zstd'] as const)(
  'a page coded as %s is the page, under an entity tag of its own',
  async (coding) => {
    const ask = serve();

    const plain = await ask('/');
    const coded = await ask('/', { 'Accept-Encoding': coding });

    expect(coded.headers.get('content-encoding')).toBe(coding);
    expect(coded.headers.get('vary')).toBe('Accept-Encoding');
    expect(new TextDecoder().decode(decoders[coding](await coded.bytes()))).toBe(html);
    expect(coded.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    const again = await ask('/', { 'Accept-Encoding': coding, 'If-None-Match': coded.headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await ask('/', { 'If-None-Match': coded.headers.get('etag') ?? '' });
    expect(other.status).toBe(200);
  },
);

test('other files are not found', async () => {
  const ask = serve();

  const responses = await Promise.all([ask('/assets/other.js'), ask('/assets/'), ask('/assets/main-1.js/x')]);

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(await responses[0].json()).toEqual({ error: 'No such endpoint: GET /assets/other.js' });
});
