/** What service and client agree on about HTTP, besides the bodies. */
import type { ErrorCode } from './error.ts';

/** Whether a failed write took effect: a `WriteOutcome`. */
export const outcomeHeader = 'Notes-Outcome';

/** The number of all notes that match a search. */
export const foundHeader = 'Notes-Found';

/** The cursor at which a list was read. */
export const cursorHeader = 'Notes-Cursor';

/** Identifies the database of a service, without naming it, in its responses about health. */
export const databaseHeader = 'Notes-Database';

/** The status of an error by its code. */
export const statusByCode = {
  invalid: 400,
  not_found: 404,
  conflict: 412,
  busy: 500,
  unavailable: 500,
  unreachable: 500,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

const codesOfStatus = ['invalid', 'not_found', 'conflict'] as const;

/** The code of an error by its status. */
export const getErrorCodeForStatus = (status: number): ErrorCode =>
  codesOfStatus.find((code) => statusByCode[code] === status) ?? 'unavailable';
