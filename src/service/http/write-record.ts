import type { Context } from 'hono';

/** What a request wrote, for the audit log. */
export interface WriteRecord {
  readonly id?: number;
  /** How many notes were merged. */
  readonly merged?: number;
}

const writeRecordKey = 'written';

export const setWriteRecord = (c: Context, what: WriteRecord): void => c.set(writeRecordKey, what);

export const getWriteRecord = (c: Context): WriteRecord | undefined => c.get(writeRecordKey);
