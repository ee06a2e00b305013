import type { Context } from 'hono';

const key = 'requestId';

/** The id under which the log speaks of a request; made when first asked for. */
export function requestIdOf(c: Context): string {
  const known: unknown = c.get(key);
  if (typeof known === 'string') return known;
  const id = crypto.randomUUID();
  c.set(key, id);
  return id;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header; versions after 00 may go on behind the flags. */
const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?=$|(?<!^00.{53})-)/;

/** By what the log names a request: its id, and its place in a trace where the sender names one. */
export function idsOf(c: Context): Readonly<Record<string, string>> {
  const [, traceId, parentId] = traceparent.exec(c.req.header('traceparent') ?? '') ?? [];
  const trace = traceId !== undefined && parentId !== undefined ? { traceId, parentId } : {};
  return { requestId: requestIdOf(c), ...trace };
}
