import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { parse, serialize } from 'hono/utils/cookie';
import type { AccessToken } from '../../shared/settings/access-tokens.ts';

const lifeMs = 30 * 24 * 60 * 60_000;

/** Sessions that were ended and are remembered; the oldest is forgotten first. */
const maxEnded = 10_000;

/**
 * What browsers that have signed in bring instead of a token: a cookie that the service signs. Nothing is kept, so that
 * each instance with the same tokens takes it, and each change of a token ends all of them.
 */
export class Sessions {
  readonly #tokens: readonly AccessToken[];
  readonly #key: Buffer;
  /** Ports of one host share their cookies, services with other tokens do not. */
  readonly #name: string;
  /** Signatures of sessions that have ended before their time, here. */
  readonly #ended = new Set<string>();

  constructor(tokens: readonly AccessToken[]) {
    this.#tokens = tokens;
    this.#key = scryptSync(JSON.stringify(tokens), 'notes sessions', 32); // slow: whoever sees a cookie learns no weak token
    this.#name = `notes-${this.#sign('name').slice(0, 8)}`;
  }

  /** The cookie of a new session, which takes the place of the one that the request has. */
  begin({ name }: AccessToken, request: Request): string {
    this.#end(request);
    const session = `${name}.${Date.now() + lifeMs}.${randomBytes(16).toString('hex')}`;
    return this.#cookie(`${session}.${this.#sign(session)}`, lifeMs / 1000, request);
  }

  /** Ends the session of a request. Returns a cookie that removes it. */
  end(request: Request): string {
    this.#end(request);
    return this.#cookie('', 0, request);
  }

  /** The token that a request's session was begun with. */
  tokenIn(request: Request): AccessToken | undefined {
    const [, session = '', name, end, signature = ''] = this.#partsIn(request);
    const expected = this.#sign(session);
    if (signature.length !== expected.length) return undefined;
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined;
    if (Date.now() > Number(end) || this.#ended.has(signature)) return undefined;
    return this.#tokens.find((token) => token.name === name);
  }

  #end(request: Request): void {
    if (this.tokenIn(request) === undefined) return;
    this.#ended.add(this.#partsIn(request)[4] ?? '');
    const [oldest] = this.#ended;
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
  }

  #partsIn({ headers }: Request): readonly string[] {
    const name = this.#nameFor(headers);
    const value = parse(headers.get('cookie') ?? '', name)[name] ?? '';
    return /^(([\w-]+)\.(\d+)\.[\da-f]+)\.([\da-f]{64})$/.exec(value) ?? [];
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }

  #cookie(value: string, maxAge: number, { headers }: Request): string {
    const options = { path: '/', httpOnly: true, sameSite: 'Strict', maxAge, secure: isHttps(headers) } as const;
    return serialize(this.#nameFor(headers), value, options);
  }

  /** Over https no other host below the same domain can plant it. */
  #nameFor(headers: Headers): string {
    return isHttps(headers) ? `__Host-${this.#name}` : this.#name;
  }
}

/** As the proxy says that has the certificate. */
export const isHttps = (headers: Headers) => headers.get('x-forwarded-proto')?.split(',', 1)[0]?.trim() === 'https';
