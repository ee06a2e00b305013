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
