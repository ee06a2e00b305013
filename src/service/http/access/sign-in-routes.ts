import type { Context } from 'hono';
import { createInvalidError } from '../../../core/error.ts';
import { createNoEffectErrorResponse } from '../error-responses.ts';
import { acceptsHtml, createHtmlResponse } from '../html-response.ts';
import { assertBodyNotCompressed, rethrowAsIncompleteBody } from '../json-body-reader.ts';
import { type AddRoute, isForwardedFromHttps, splitPathAndQuery } from '../request.ts';
import type { Access, Rejection } from './access.ts';

const getQueryWithoutQuestionMark = (c: Context): string => splitPathAndQuery(c.req.raw.url).query;

/** Creates an error response; for browsers that ask for the page itself, it is the sign-in form. */
export function createRejectionOrSignInForm(c: Context, { status, text, headers: more }: Rejection): Response {
  const { method, path } = c.req;
  if (!acceptsHtml(c) || !['/', '/sign-in'].includes(path)) return createNoEffectErrorResponse(c, status, text, more);
  const comesByLink = method === 'GET' && c.req.header('sec-fetch-site') === 'cross-site';
  return createSignInOrOutPageResponse({
    status,
    query: getQueryWithoutQuestionMark(c),
    ...(method === 'POST' && { failure: text }),
    headers: { ...more, ...(comesByLink && { Refresh: '0' }) }, // the first request after a link has no cookie
  });
}

/**
 * Formats how many drafts are not saved, which the page of notes passes in the query. Example: `drafts=2` becomes `2
 * drafts that are`.
 */
function formatUnsavedDraftCountPhrase(query: string): string {
  const count = /^drafts=(\d{1,6})$/.exec(query)?.[1];
  return count === '1' ? '1 draft that is' : `${count === undefined ? '' : `${count} `}drafts that are`;
}

interface SignInPage {
  readonly status?: number;
  readonly isSignedIn?: boolean;
  /** Whether signing out removes the data in the browser. */
  readonly isCleared?: boolean;
  /** The sentence says why the token was rejected. */
  readonly failure?: string;
  /** The query of the requested page. */
  readonly query: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates the page with the form to sign in or out. It is a sibling of the page of notes, so relative links have the
 * same base.
 */
function createSignInOrOutPageResponse({
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
its list of the notes, and ${formatUnsavedDraftCountPhrase(query)} not saved.</p>
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
  return createHtmlResponse(`Sign ${isSignedIn ? 'out' : 'in'}`, form, { status, headers: more });
}

/** A form has at most this many bytes. */
const maxFormBytes = 4096;

/** Adds routes to begin and end a session. Forms are redirected to the page of notes, and scripts get status 204. */
export function addSignInRoutes(on: AddRoute, access: Access): void {
  const { sessions } = access;

  on('GET', '/sign-in', async (c) =>
    createSignInOrOutPageResponse({
      isSignedIn: (await sessions.findAccessTokenOfSession(c.req.raw.headers)) !== undefined,
      query: getQueryWithoutQuestionMark(c),
      isCleared: honorsClearSiteData(c.req.raw.headers),
    }),
  );

  on('POST', '/sign-in', async (c) => {
    const found = access.findTokenOrCountAndReject(await readFormTokenOrEmpty(c.req.raw), c.req.raw);
    if ('status' in found) return createRejectionOrSignInForm(c, found);
    return createCookieRedirectOrEmptyResponse(c, await sessions.replaceSessionsAndCreateCookies(found, c.req.raw));
  });

  on('POST', '/sign-out', async (c) =>
    createCookieRedirectOrEmptyResponse(c, await sessions.endSessionsAndCreateCookies(c.req.raw), {
      'Clear-Site-Data': '"cache", "storage"',
    }),
  );
}

/** Says whether a browser heeds `Clear-Site-Data`: it does so over https and on its own machine. */
const honorsClearSiteData = (headers: Headers) =>
  isForwardedFromHttps(headers) || /^((.+\.)?localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(headers.get('host') ?? '');

function createCookieRedirectOrEmptyResponse(
  c: Context,
  cookies: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = new Headers(more);
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  if (!acceptsHtml(c)) return new Response(null, { status: 204, headers });
  const query = getQueryWithoutQuestionMark(c);
  headers.set('Location', query === '' ? './' : `./?${query}`);
  return new Response(null, { status: 303, headers });
}

/** Reads the token from a form. Throws `invalid`. */
async function readFormTokenOrEmpty(request: Request): Promise<string> {
  assertBodyNotCompressed(request);
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(length <= maxFormBytes)) throw createInvalidError('Send a form with a token');
  return new URLSearchParams(await request.text().catch(rethrowAsIncompleteBody)).get('token')?.trim() ?? '';
}
