import type { Context } from 'hono';

const key = 'requestId';

/** The id of a request in the log, generated on first use. */
export function requestIdOf(c: Context): string {
  const known: unknown = c.get(key);
  if (typeof known === 'string') return known;
  const id = crypto.randomUUID();
  c.set(key, id);
  return id;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header; later versions may append fields. */
const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?=$|(?<!^00.{53})-)/;

/** Ids of a request for the log: its own, and those of the sender's trace, if any. */
export function idsOf(c: Context): Readonly<Record<string, string>> {
  const [, traceId, parentId] = traceparent.exec(c.req.header('traceparent') ?? '') ?? [];
  const trace = traceId !== undefined && parentId !== undefined ? { traceId, parentId } : {};
  return { requestId: requestIdOf(c), ...trace };
}
