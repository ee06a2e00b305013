import type { Context } from 'hono';
import { invalid } from '../../../core/error.ts';
import { assertNotEncoded, rethrowAsIncompleteBody } from '../body-reader.ts';
import { createRejectionResponse } from '../error-responses.ts';
import { type AddRoute, isForwardedFromHttps, splitUrl } from '../request.ts';
import { docsHeaders } from '../response-headers.ts';
import type { Access, Rejection } from './access.ts';

/** The colors are those of the page of notes. */
const style = `:root { color-scheme: light dark; font: 1rem/1.5 "Segoe UI", system-ui, sans-serif }
body { display: grid; place-items: center; min-height: 100vh; margin: 0;
  background: light-dark(white, oklch(25% 0.016 252)); color: light-dark(oklch(21% 0.006 286), oklch(98% 0.029 257)) }
form { display: grid; gap: 0.75rem; width: min(20rem, 90vw) }
h1 { font-size: 1.25rem; margin: 0 }
p { margin: 0 }
label { display: grid; gap: 0.25rem }
input, button { font: inherit; padding: 0.5625rem 0.75rem; border: 1px solid GrayText; border-radius: 0.5rem }
input { background: none }
button { border-color: transparent; cursor: pointer;
  background: light-dark(oklch(45% 0.24 277), oklch(58% 0.233 277)); color: white }
a { color: inherit }
:focus-visible { outline: 2px solid light-dark(oklch(45% 0.24 277), oklch(74% 0.14 277)); outline-offset: 2px }
input:focus-visible { outline-offset: -1px }`;

const styleHash = Bun.CryptoHasher.hash('sha256', style, 'base64');

const signInHeaders = {
  ...docsHeaders,
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    `default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; ` +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin', // with no-referrer, a form has no origin either
} as const;

/** Says whether the sender is a browser that displays the response. */
const acceptsHtml = (c: Context): boolean => c.req.header('accept')?.includes('text/html') === true;

const getQuery = (c: Context): string => splitUrl(c.req.raw.url).query;

/** Creates an error response; for browsers that ask for the page itself, it is the sign-in form. */
export function createRejectionOrSignInForm(c: Context, { status, text, headers: more }: Rejection): Response {
  const { method, path } = c.req;
  if (!acceptsHtml(c) || !['/', '/sign-in'].includes(path)) return createRejectionResponse(c, status, text, more);
  const comesByLink = method === 'GET' && c.req.header('sec-fetch-site') === 'cross-site';
  return createSignInResponse({
    status,
    query: getQuery(c),
    ...(method === 'POST' && { failure: text }),
    headers: { ...more, ...(comesByLink && { Refresh: '0' }) }, // the first request after a link has no cookie
  });
}

/**
 * Formats how many drafts are not saved, which the page of notes passes in the query. Example: `drafts=2` becomes `2
 * drafts that are`.
 */
function formatUnsavedDrafts(query: string): string {
  const count = /^drafts=(\d{1,6})$/.exec(query)?.[1];
  return count === '1' ? '1 draft that is' : `${count === undefined ? '' : `${count} `}drafts that are`;
}

interface SignInPage {
  readonly status?: number;
  readonly isSignedIn?: boolean;
  /** It is true if signing out removes the data in the browser. */
  readonly isCleared?: boolean;
  /** The sentence says why the token was rejected. */
  readonly failure?: string;
  /** This is the query of the requested page. */
  readonly query: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates the page with the form to sign in or out. It is a sibling of the page of notes, so relative links have the
 * same base.
 */
function createSignInResponse({
  status = 200,
  isSignedIn = false,
  isCleared = true,
  failure,
  query,
  headers: more,
}: SignInPage): Response {
  const form = isSignedIn
    ? `<form method="post" action="sign-out">
<h1>Notes</h1>
<p>You are signed in. Signing out ${isCleared ? 'removes' : 'leaves (on plain HTTP)'} what this browser keeps:
its list of the notes, and ${formatUnsavedDrafts(query)} not saved.</p>
<button>Sign out</button>
<a href="./">Back to the notes</a>
</form>`
    : `<form method="post" action="sign-in${query && Bun.escapeHTML(`?${query}`)}">
<h1>Notes</h1>
<label>Access token
<input type="password" name="token" autocomplete="current-password" required autofocus></label>
${failure === undefined ? '<p>It is the ACCESS_TOKEN of this service.</p>' : `<p role="alert">${Bun.escapeHTML(failure)}</p>`}
<button>Sign in</button>
</form>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign ${isSignedIn ? 'out' : 'in'} · Notes</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${form}
</main>
</body>
</html>
`;
  return new Response(html, { status, headers: { ...signInHeaders, ...more } });
}

/** A form has at most this many bytes. */
const maxFormBytes = 4096;

/** Adds routes to begin and end a session. Forms are redirected to the page of notes, and scripts get status 204. */
export function addSignInRoutes(on: AddRoute, access: Access): void {
  const { sessions } = access;

  on('GET', '/sign-in', async (c) =>
    createSignInResponse({
      isSignedIn: (await sessions.findSessionToken(c.req.raw.headers)) !== undefined,
      query: getQuery(c),
      isCleared: honorsClearSiteData(c.req.raw.headers),
    }),
  );

  on('POST', '/sign-in', async (c) => {
    const found = access.verifyTokenAndCountWrong(await readFormToken(c.req.raw), c.req.raw);
    if ('status' in found) return createRejectionOrSignInForm(c, found);
    return redirectWithCookies(c, await sessions.beginSession(found, c.req.raw));
  });

  on('POST', '/sign-out', async (c) =>
    redirectWithCookies(c, await sessions.endSessions(c.req.raw), { 'Clear-Site-Data': '"cache", "storage"' }),
  );
}

/** Says whether a browser heeds `Clear-Site-Data`: it does so over https and on its own machine. */
const honorsClearSiteData = (headers: Headers) =>
  isForwardedFromHttps(headers) || /^((.+\.)?localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(headers.get('host') ?? '');

function redirectWithCookies(
  c: Context,
  cookies: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = new Headers(more);
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  if (!acceptsHtml(c)) return new Response(null, { status: 204, headers });
  const query = getQuery(c);
  headers.set('Location', query === '' ? './' : `./?${query}`);
  return new Response(null, { status: 303, headers });
}

/** Reads the token from a form. Throws `invalid`. */
async function readFormToken(request: Request): Promise<string> {
  assertNotEncoded(request);
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(length <= maxFormBytes)) throw invalid('Send a form with a token');
  return new URLSearchParams(await request.text().catch(rethrowAsIncompleteBody)).get('token')?.trim() ?? '';
}
