import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { AccessToken } from '../../../core/setting-values.ts';
import type { EndedSessionStore } from '../../../core/store.ts';
import type { Log } from '../../log.ts';
import * as httpMessage from '../http-messages.ts';
import type { GetClientAddress } from './client-address.ts';
import { Sessions } from './sessions.ts';
import { WrongTokenCounter } from './wrong-token-counter.ts';

export interface AccessDeps {
  readonly store: EndedSessionStore;
  readonly getClientAddress: GetClientAddress;
  readonly log: Log;
}

/** This becomes the response to a request without access. */
export interface Rejection {
  readonly status: 401 | 403 | 429;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const createUnauthorizedRejection = (text: string): Rejection => ({
  status: 401,
  text,
  headers: { 'WWW-Authenticate': 'Bearer realm="Notes"' },
});

/** Authorizes requests by a token in `Authorization`, or by a browser session. Without tokens, it rejects them all. */
export class Access {
  readonly sessions: Sessions;
  #accessTokens: readonly (AccessToken & { readonly hash: Buffer })[] = [];
  readonly #wrongTokenCounter = new WrongTokenCounter();
  readonly #deps: AccessDeps;

  constructor(deps: AccessDeps) {
    this.#deps = deps;
    this.sessions = new Sessions(deps.store);
  }

  /** Replaces the tokens: from now on these give access, and no others. */
  async replaceTokens(tokens: readonly AccessToken[]): Promise<void> {
    await this.sessions.replaceTokens(tokens);
    this.#accessTokens = tokens.map((token) => ({ ...token, hash: hashToken(token.token) }));
  }

  /**
   * Returns undefined if the request is allowed, and stores its token in its context. The database is asked about a
   * session, but not about a token.
   */
  findRejectionOrRememberToken(c: Context, operation: string): Rejection | undefined | Promise<Rejection | undefined> {
    const { raw: request } = c.req;
    const bearer = findBearerToken(request.headers);
    if (bearer !== undefined)
      return rememberTokenOrReject(c, operation, this.findTokenOrCountAndReject(bearer, request));
    return this.sessions
      .findAccessTokenOfSession(request.headers)
      .then((found) => rememberTokenOrReject(c, operation, found));
  }

  /**
   * Says whether the token or session of an earlier request still gives access. Rejects if the database cannot be
   * asked.
   */
  async stillHasAccess(headers: Headers): Promise<boolean> {
    const bearer = findBearerToken(headers);
    const found =
      bearer === undefined ? await this.sessions.findAccessTokenOfSession(headers) : this.#findAccessToken(bearer);
    return found !== undefined;
  }

  /**
   * Finds a known token, in constant time. A wrong one is counted for the network of its sender, and the first one of a
   * minute is logged. A correct one always counts: 16 characters and more cannot be guessed, and
   * others who guess behind the same address must not lock anybody out.
   */
  findTokenOrCountAndReject(token: string, request: Request): AccessToken | Rejection {
    const found = this.#findAccessToken(token);
    if (found !== undefined) return found;
    const address = this.#deps.getClientAddress(request);
    const waitSeconds = this.#wrongTokenCounter.computeWaitSeconds(address);
    if (waitSeconds > 0) {
      return {
        status: 429,
        text: httpMessage.tooManyWrongTokens,
        headers: { 'Retry-After': String(waitSeconds) },
      };
    }
    if (this.#wrongTokenCounter.incrementAndGetCount(address) === 1)
      this.#deps.log.warn({ address }, `A wrong access token came from ${address}. ${oncePerMinute}`);
    return createUnauthorizedRejection(httpMessage.wrongToken);
  }

  #findAccessToken(token: string): AccessToken | undefined {
    const hash = hashToken(token);
    return this.#accessTokens.filter((known) => timingSafeEqual(known.hash, hash))[0];
  }
}

/** Parses the token in `Authorization`; undefined if the request has none. */
const findBearerToken = (headers: Headers): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];

/** Stores the token in the context of the request. Returns undefined if the token has the right to the operation. */
function rememberTokenOrReject(c: Context, operation: string, found: AccessToken | Rejection | undefined) {
  if (found === undefined) return createUnauthorizedRejection(tokenNeeded);
  if ('status' in found) return found;
  c.set(accessTokenKey, found);
  const { method } = c.req;
  const isRead = method === 'GET' || method === 'HEAD' || operation === 'POST /mcp'; // MCP has read-only tools
  const isAllowed = found.rights === 'full' || isRead;
  return isAllowed ? undefined : ({ status: 403, text: httpMessage.readOnlyToken } satisfies Rejection);
}

const oncePerMinute = 'Others of its network are not logged for a minute';

const tokenNeeded =
  'An access token is needed: as "Authorization: Bearer <token>", in NOTES_TOKEN for commands, at /sign-in for people';

/** The context of a request holds its token under this name. */
const accessTokenKey = 'accessToken';

const findContextToken = (c: Context): AccessToken | undefined => c.get(accessTokenKey);

/** Returns the name of the token that a request or its session brought; undefined for a service without tokens. */
export const findContextTokenName = (c: Context): string | undefined => findContextToken(c)?.name;

/** Says whether the token of a request may only read. */
export const hasReadOnlyToken = (c: Context): boolean => findContextToken(c)?.rights === 'read';

const hashToken = (token: string) => createHash('sha256').update(token).digest();
