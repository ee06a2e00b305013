import type { Context } from 'hono';

export type RouteHandler = (c: Context) => Response | Promise<Response>;

export type AddRoute = (method: string, path: string, handler: RouteHandler) => void;

/** Splits a URL into undecoded path and query. Without a usable `Host` it has no origin. Dots are resolved already. */
export function splitPathAndQuery(url: string): { path: string; query: string } {
  const start = url.startsWith('http') ? Math.max(url.indexOf('/', 'https://'.length), 0) : 0;
  const question = url.indexOf('?', start);
  if (question < 0) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, question), query: url.slice(question + 1) };
}

/** Says whether a proxy received the request by https and forwarded it. The service itself speaks only http. */
export const isForwardedFromHttps = (headers: Headers) =>
  headers.get('x-forwarded-proto')?.split(',', 1)[0]?.trim() === 'https';

const requestIdKey = 'requestId';

/** Returns the id of a request in the log. It is generated on first use, and stored in the context. */
export function getOrCreateRequestId(c: Context): string {
  const known: unknown = c.get(requestIdKey);
  if (typeof known === 'string') return known;
  const id = crypto.randomUUID();
  c.set(requestIdKey, id);
  return id;
}

/**
 * Returns the ids of a request for the log: its own, which is generated on first use, and those of the sender's trace,
 * if any.
 */
export const getOrCreateRequestAndTraceIds = (c: Context): Readonly<Record<string, string>> => ({
  requestId: getOrCreateRequestId(c),
  ...tryParseTraceparent(c.req.header('traceparent') ?? ''),
});

/** Parses https://www.w3.org/TR/trace-context/#traceparent-header. Versions after 00 may append fields. */
function tryParseTraceparent(header: string): Readonly<Record<string, string>> | undefined {
  const [version = '', traceId = '', parentId = '', flags = '', ...appended] = header.split('-');
  const isVersion =
    isLowerCaseHexWithLength(version, 2) && version !== 'ff' && (version !== '00' || appended.length === 0);
  const isTrace =
    isNonZeroHexWithLength(traceId, 32) && isNonZeroHexWithLength(parentId, 16) && isLowerCaseHexWithLength(flags, 2);
  return isVersion && isTrace ? { traceId, parentId } : undefined;
}

const isLowerCaseHexWithLength = (text: string, length: number) => text.length === length && /^[\da-f]*$/.test(text);
const isNonZeroHexWithLength = (text: string, length: number) =>
  isLowerCaseHexWithLength(text, length) && text !== '0'.repeat(length);
