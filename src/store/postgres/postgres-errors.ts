import { SQL } from 'bun';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import * as storeMessage from '../store-messages.ts';

/**
 * What an error of the database means: `busy` nothing happened, retry; `constraint` the statement was rolled back
 * because of its values; `rolled-back` it was rolled back and would be again; `full` it was rolled back because there
 * is no room; `uncertain` it may or may not have taken effect.
 */
export type FailureKind = 'busy' | 'constraint' | 'rolled-back' | 'full' | 'uncertain';

/** The database sent nothing in time, so that it is unknown whether the statement took effect. */
export class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';

  constructor(ms: number) {
    super(`The database did not answer within ${ms} ms`);
  }
}

/** An error of the database without the rows that it may quote: notes must not appear in logs. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** Code of the driver, such as `ERR_POSTGRES_CONNECTION_CLOSED`. */
  readonly code: string;
  /** SQLSTATE (appendix A of PostgreSQL's documentation); undefined if the error is not from the server. */
  readonly sqlState: string | undefined;

  constructor(code: string, sqlState: string | undefined, text: string) {
    super(sqlState === undefined ? text : `${text} (SQLSTATE ${sqlState})`);
    this.code = code;
    this.sqlState = sqlState;
  }
}

/** Codes of the driver if the server was not reached or its certificate is not trusted: no statement was sent. */
const notSentPattern =
  /^(ERR_POSTGRES_(CONNECTION_(REFUSED|FAILED|TIMEOUT)|TLS)|ERR_TLS|UNABLE_TO|CERT|SELF_SIGNED|DEPTH_ZERO|ENOENT)/;

/** SQLSTATE patterns after which the statement has certainly not taken effect. */
const failures: readonly (readonly [sqlState: RegExp, FailureKind])[] = [
  [/^57P03/, 'busy'], // starting up, shutting down or recovering
  [/^53300/, 'busy'], // too many connections
  [/^(40001|40P01)/, 'busy'], // serialization failure, deadlock
  [/^23505/, 'busy'], // an id that is taken: the next try gets another one
  [/^(57014|55P03)/, 'busy'], // a statement or a lock took too long
  [/^25006/, 'busy'], // read-only, as a standby that is not promoted yet
  [/^(0A|26|28|3D|42)/, 'rolled-back'], // not supported; prepared statement, role, database, privilege or table is missing
  [/^53100/, 'full'],
  [/^53/, 'rolled-back'],
  [/^(22|23|54|P0)/, 'constraint'], // P0: raised by a trigger
];

export function classifyError(error: unknown): FailureKind {
  if (!(error instanceof DatabaseError)) return 'uncertain';
  const { code, sqlState } = error;
  if (isRejectedByProxy(error)) return 'busy';
  if (sqlState !== undefined) return failures.find(([pattern]) => pattern.test(sqlState))?.[1] ?? 'uncertain';
  return notSentPattern.test(code) ? 'busy' : 'uncertain';
}

/** Whether there is no connection: it was not accepted or has broken, or the server is starting or stopping. */
export const isUnreachableError = (error: unknown) =>
  error instanceof DatabaseError &&
  (/^ERR_POSTGRES_CONNECTION/.test(error.code) ||
    /^(57P0[123]|53300)/.test(error.sqlState ?? '') ||
    isRejectedByProxy(error));

/** Whether the session is read-only: by a setting that it began with, or on a server that is not the primary. */
export const isReadOnlyError = (error: unknown) => error instanceof DatabaseError && error.sqlState === '25006';

/** Whether a note was locked by another transaction for longer than `lock_timeout`. */
export const isLockTimeoutError = (error: unknown) => error instanceof DatabaseError && error.sqlState === '55P03';

/** Whether the server has cancelled a statement, mostly because it took too long. */
export const isStatementTimeoutError = (error: unknown) => error instanceof DatabaseError && error.sqlState === '57014';

/** PgBouncer has no connection to the server, so it has sent nothing. */
const isRejectedByProxy = ({ sqlState, message: text }: DatabaseError) =>
  sqlState === '08P01' &&
  /^(server login has been failing|pgbouncer cannot connect|query_wait_timeout|no more connections)/.test(text);

export function toDatabaseErrorIfFromDriver(error: unknown): unknown {
  if (error instanceof SQL.PostgresError) return new DatabaseError(error.code, error.errno, error.message);
  const isOurs = error instanceof DatabaseError || error instanceof NoteError;
  if (isOurs || !(error instanceof Error && 'code' in error)) return error;
  return new DatabaseError(String(error.code), undefined, error.message);
}

const noteErrorByFailure = {
  busy: ['busy', storeMessage.storeUnreachable],
  constraint: ['internal', storeMessage.noteRejected],
  'rolled-back': ['unavailable', storeMessage.statementRejected],
  full: ['unavailable', storeMessage.storeFull],
  uncertain: ['unavailable', message.storeFailed],
} as const satisfies Record<FailureKind, readonly [NoteError['code'], string]>;

/** What was being done when an error occurred. A `trial` is a write that is rolled back in any case. */
export type Operation = 'read' | 'write' | 'trial';

/** Converts an error of the database to one that may be shown. Returns others unchanged: they are bugs. */
export function toNoteErrorIfDatabaseError(error: unknown, operation: Operation): unknown {
  if (!(error instanceof DatabaseError || error instanceof DatabaseTimeout)) return error;
  const kind = classifyError(error);
  const [code, usualText] = noteErrorByFailure[kind];
  if (operation !== 'write') {
    const text = operation === 'trial' ? formatTrialFailure(error, kind) : message.storeNotRead;
    return new NoteError(code, text, { outcome: 'none', retry: true, cause: error });
  }
  const text = (kind === 'busy' ? findBusyDatabaseMessage(error) : undefined) ?? usualText;
  return new NoteError(code, text, { outcome: kind === 'uncertain' ? 'unknown' : 'none', cause: error });
}

function formatTrialFailure(error: unknown, kind: FailureKind): string {
  if (isReadOnlyError(error)) return storeMessage.storeReadOnly;
  if (kind === 'uncertain' || kind === 'busy') return message.storeNotRead;
  return kind === 'full' ? storeMessage.storeWithoutRoom : storeMessage.writesRejected;
}

/** Returns the message for an error after which a client may try again; undefined if the database was not reached. */
function findBusyDatabaseMessage(error: unknown): string | undefined {
  if (isReadOnlyError(error)) return storeMessage.storeReadOnlyNow;
  const sqlState = error instanceof DatabaseError ? (error.sqlState ?? '') : '';
  return /^(40001|40P01|23505|53300|57014|55P03)/.test(sqlState) ? storeMessage.storeSlow : undefined;
}
