import type { Context } from 'hono';

/** What a request wrote, for the audit log. */
export interface Written {
  readonly id?: number;
  /** How many notes were merged. */
  readonly merged?: number;
}

const written = 'written';

export const setWritten = (c: Context, what: Written): void => c.set(written, what);

export const getWritten = (c: Context): Written | undefined => c.get(written);
