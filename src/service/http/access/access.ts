import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import * as message from '../../../core/message.ts';
import type { AccessToken } from '../../../core/tools/settings/access-tokens.ts';
import type { Log } from '../log.ts';
import { Guesses } from './guesses.ts';
import { Sessions } from './sessions.ts';

export interface AccessDeps {
  /** At least one. */
  readonly tokens: readonly AccessToken[];
  /** The address that a request comes from. */
  readonly peerOf: (request: Request) => string;
  readonly log: Log;
}

/** The response to a request without access. */
export interface Refusal {
  readonly status: 401 | 403 | 429;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusedFor = (text: string): Refusal => ({
  status: 401,
  text,
  headers: { 'WWW-Authenticate': 'Bearer realm="Notes"' },
});

/** Authorizes requests by a token in `Authorization`, or by a browser session. */
export class Access {
  readonly sessions: Sessions;
  readonly #known: readonly (AccessToken & { readonly hash: Buffer })[];
  readonly #guesses = new Guesses();
  readonly #deps: AccessDeps;

  constructor(deps: AccessDeps) {
    this.#deps = deps;
    this.#known = deps.tokens.map((token) => ({ ...token, hash: hashOf(token.token) }));
    this.sessions = new Sessions(deps.tokens);
  }

  /** Returns undefined if the request is allowed. */
  refusalOf(c: Context, operation: string): Refusal | undefined {
    const { raw: request, method } = c.req;
    const [, bearer] = /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    const found = bearer === undefined ? this.sessions.tokenIn(request) : this.find(bearer, request);
    if (found === undefined) return refusedFor(message.tokenMissing);
    if ('status' in found) return found;
    if (found.rights === 'full') return undefined;
    c.set(readOnly, true);
    const isRead = method === 'GET' || method === 'HEAD' || operation === 'POST /mcp'; // MCP has read-only tools
    return isRead ? undefined : { status: 403, text: message.tokenOnlyReads };
  }

  /** Finds a known token, in constant time. */
  find(token: string, request: Request): AccessToken | Refusal {
    const hash = hashOf(token);
    const found = this.#known.filter((known) => timingSafeEqual(known.hash, hash))[0];
    if (found !== undefined && this.#guesses.isEmpty) return found;
    const address = this.#deps.peerOf(request);
    const waitSeconds = this.#guesses.waitOf(address);
    if (waitSeconds > 0) {
      return { status: 429, text: message.tooManyGuesses, headers: { 'Retry-After': String(waitSeconds) } };
    }
    if (found !== undefined) return found;
    if (this.#guesses.add(address)) this.#deps.log.warn({ address }, `Too many wrong tokens from ${address}`);
    return refusedFor(message.tokenWrong);
  }
}

const readOnly = 'readOnly';

/** Whether the token of a request may only read. */
export const isReadOnly = (c: Context): boolean => c.get(readOnly) === true;

const hashOf = (token: string) => createHash('sha256').update(token).digest();
