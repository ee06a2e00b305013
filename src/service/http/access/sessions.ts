import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { parse, serialize } from 'hono/utils/cookie';
import type { AccessToken } from '../../../core/tools/setting-values.ts';
import { isHttps } from '../request.ts';

const lifeMs = 30 * 24 * 60 * 60_000;

/** Limit of remembered ended sessions; the oldest is evicted. */
const maxEnded = 10_000;

/**
 * Signed session cookies, for browsers instead of a token. Stateless: every instance with the same tokens accepts
 * them, and changing any token ends all sessions.
 */
export class Sessions {
  readonly #tokens: readonly AccessToken[];
  readonly #key: Buffer;
  /** The cookie name. Depends on the tokens: cookies ignore ports, and another service may run on this host. */
  readonly #name: string;
  /** Signatures of sessions ended early, on this instance. */
  readonly #ended = new Set<string>();

  constructor(tokens: readonly AccessToken[]) {
    this.#tokens = tokens;
    this.#key = scryptSync(JSON.stringify(tokens), 'notes sessions', 32); // slow, against guessing tokens
    this.#name = `notes-${this.#sign('name').slice(0, 8)}`;
  }

  /** Begins a session, which replaces that of the request. Returns its cookie. */
  begin({ name }: AccessToken, request: Request): string {
    this.#end(request);
    const session = `${name}.${Date.now() + lifeMs}.${randomBytes(16).toString('hex')}`;
    return this.#cookie(`${session}.${this.#sign(session)}`, lifeMs / 1000, request);
  }

  /** Ends the session of a request. Returns a cookie that clears it. */
  end(request: Request): string {
    this.#end(request);
    return this.#cookie('', 0, request);
  }

  /** The token with which the session of a request began. */
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

  /** `__Host-` over https: no sibling domain can plant the cookie. */
  #nameFor(headers: Headers): string {
    return isHttps(headers) ? `__Host-${this.#name}` : this.#name;
  }
}
