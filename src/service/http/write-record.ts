import type { Context } from 'hono';

/** A handler records what its request wrote, for the audit log. */
export interface WriteRecord {
  readonly id?: number;
  /** This many notes were merged. */
  readonly merged?: number;
}

const writeRecordKey = 'written';

export const setWriteRecord = (c: Context, what: WriteRecord): void => c.set(writeRecordKey, what);

export const findWriteRecord = (c: Context): WriteRecord | undefined => c.get(writeRecordKey);
