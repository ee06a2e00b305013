import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { parse, serialize } from 'hono/utils/cookie';
import type { AccessToken } from '../../../core/setting-values.ts';
import type { EndedSessionStore } from '../../../core/store.ts';
import { isForwardedFromHttps } from '../request.ts';
import { EndedSessionCache } from './ended-session-cache.ts';

const sessionLifeMs = 30 * 24 * 60 * 60_000;

/** A signer signs the cookies of the sessions that began with its token. */
interface CookieSigner {
  readonly token: AccessToken;
  /** The name differs from that of other tokens: cookies ignore ports, and another service may run on this host. */
  readonly cookieName: string;
  sign(text: string): string;
}

interface Session {
  readonly id: string;
  readonly token: AccessToken;
  /** The session ends by itself at this time, in ms since 1970. */
  readonly endsAt: number;
  readonly cookieName: string;
}

/**
 * Manages the sessions of browsers, which send a signed cookie instead of a token. Every instance with the same token
 * accepts it, since the token signs it: a session ends when its token is changed or removed, when the person signs out,
 * or after 30 days.
 */
export class Sessions {
  #signers: readonly CookieSigner[] = [];
  readonly #endedSessions: EndedSessionCache;

  constructor(store: EndedSessionStore) {
    this.#endedSessions = new EndedSessionCache(store);
  }

  /** Accepts the sessions of these tokens from now on. Those of all other tokens end. */
  async replaceTokens(tokens: readonly AccessToken[]): Promise<void> {
    this.#signers = await Promise.all(tokens.map(deriveCookieSigner));
  }

  /**
   * Begins a session, and ends those of the request. Returns its cookie, and others that clear the cookies of those
   * that were ended. Returns no cookie if the token was removed a moment ago.
   */
  async replaceSessionsAndCreateCookies(token: AccessToken, request: Request): Promise<readonly string[]> {
    const signer = this.#signers.find((known) => known.token.name === token.name);
    if (signer === undefined) return [];
    const cleared = await this.endSessionsAndCreateCookies(request);
    const session = `${Date.now() + sessionLifeMs}.${randomBytes(16).toString('hex')}`;
    const name = getCookieName(signer, request.headers);
    const cookie = formatSessionCookie(name, `${session}.${signer.sign(session)}`, request.headers);
    return [cookie, ...cleared.filter((other) => !other.startsWith(`${name}=`))];
  }

  /** Ends the sessions of a request for good. Returns cookies that clear theirs. */
  async endSessionsAndCreateCookies(request: Request): Promise<readonly string[]> {
    const sessions = this.#parseUnexpiredSessions(request.headers);
    for (const { id, endsAt } of sessions) {
      if (!(await this.#endedSessions.isSignInSessionEnded(id))) await this.#endedSessions.endSession(id, endsAt);
    }
    return sessions.map(({ cookieName }) => formatSessionCookie(cookieName, '', request.headers));
  }

  /** Finds the token with which the session of a request began. Fails if the database cannot be asked about its end. */
  async findAccessTokenOfSession(headers: Headers): Promise<AccessToken | undefined> {
    for (const { id, token } of this.#parseUnexpiredSessions(headers)) {
      if (!(await this.#endedSessions.isSignInSessionEnded(id))) return token;
    }
    return undefined;
  }

  /** Returns the sessions in the cookies of a request, without those that have ended by themselves. */
  #parseUnexpiredSessions(headers: Headers): readonly Session[] {
    const cookies = parse(headers.get('cookie') ?? '');
    return this.#signers.flatMap((signer) => {
      const cookieName = getCookieName(signer, headers);
      const session = tryParseAndVerifySession(cookies[cookieName] ?? '', signer);
      return session === undefined || session.endsAt < Date.now() ? [] : { ...session, cookieName };
    });
  }
}

async function deriveCookieSigner(token: AccessToken): Promise<CookieSigner> {
  const key = await deriveKeySlowly(token.token, `notes sessions of ${token.name}`);
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  return { token, sign, cookieName: `notes-${sign('cookie name').slice(0, 8)}` };
}

/**
 * Derives a key slowly on purpose, in 50 ms on another thread: whoever has a cookie could otherwise guess the token
 * that signed it.
 */
function deriveKeySlowly(secret: string, salt: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(secret, salt, 32, (error, key) => (error ? reject(error) : resolve(key)));
  return promise;
}

/** Parses `<ends at>.<id>.<signature>`; undefined if the signature is not that of the token. */
function tryParseAndVerifySession(
  value: string,
  { token, sign }: CookieSigner,
): Omit<Session, 'cookieName'> | undefined {
  const [, session = '', endsAt, id = '', signature = ''] = /^((\d+)\.([\da-f]+))\.([\da-f]{64})$/.exec(value) ?? [];
  if (signature === '' || !timingSafeEqual(Buffer.from(signature), Buffer.from(sign(session)))) return undefined;
  return { id, token, endsAt: Number(endsAt) };
}

/**
 * The prefix `__Host-` makes sure that no sibling domain has planted the cookie. Browsers accept it only over https.
 */
const getCookieName = ({ cookieName }: CookieSigner, headers: Headers): string =>
  isForwardedFromHttps(headers) ? `__Host-${cookieName}` : cookieName;

/** An empty value clears the cookie. */
function formatSessionCookie(name: string, value: string, headers: Headers): string {
  const maxAge = value === '' ? 0 : sessionLifeMs / 1000;
  return serialize(name, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    maxAge,
    secure: isForwardedFromHttps(headers),
  });
}
