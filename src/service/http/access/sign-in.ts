import type { Context } from 'hono';
import { invalid } from '../../../core/error.ts';
import * as message from '../../../core/message.ts';
import { rethrowBroken } from '../body.ts';
import type { AddRoute } from '../middleware.ts';
import { isHttps } from '../url.ts';
import type { Access } from './access.ts';
import { answerRefusal, answerSignInPage, isForPeople, queryOf } from './sign-in-page.ts';

/** Limit of a form, in bytes. */
const maxForm = 4096;

/** Adds routes to begin and end a session. Redirects forms to the page; answers scripts with 204. */
export function addSignInRoutes(on: AddRoute, access: Access): void {
  const { sessions } = access;

  on('GET', '/sign-in', (c) =>
    answerSignInPage({
      isSignedIn: sessions.tokenIn(c.req.raw) !== undefined,
      query: queryOf(c),
      isCleared: isClearedFor(c.req.raw.headers),
    }),
  );

  on('POST', '/sign-in', async (c) => {
    const found = access.find(await tokenIn(c.req.raw), c.req.raw);
    if ('status' in found) return answerRefusal(c, found);
    return goBack(c, { 'Set-Cookie': sessions.begin(found, c.req.raw) });
  });

  on('POST', '/sign-out', (c) =>
    goBack(c, { 'Set-Cookie': sessions.end(c.req.raw), 'Clear-Site-Data': '"cache", "storage"' }),
  );
}

/** Whether a browser heeds `Clear-Site-Data`: over https and on its own machine. */
const isClearedFor = (headers: Headers) =>
  isHttps(headers) || /^((.+\.)?localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(headers.get('host') ?? '');

function goBack(c: Context, headers: Readonly<Record<string, string>>): Response {
  if (!isForPeople(c)) return new Response(null, { status: 204, headers });
  const query = queryOf(c);
  return new Response(null, { status: 303, headers: { ...headers, Location: query === '' ? './/' : `.//?${query}` } });
}

/** Reads the token from a form. Throws `invalid`. */
async function tokenIn(request: Request): Promise<string> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(length <= maxForm)) throw invalid(message.tokenNotSent);
  return new URLSearchParams(await request.text().catch(rethrowBroken)).get('token')?.trim() ?? '';
}
