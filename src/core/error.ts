/**
 * Error codes.
 * `invalid`: the input breaks a rule; `not_found`: no such note or endpoint; `conflict`: the note has changed;
 * `busy`: rejected for now, nothing changed; `unavailable`: the store failed, the outcome may be unknown;
 * `unreachable`: no service responds (client only); `internal`: a bug.
 */
const errorCodes = ['invalid', 'not_found', 'conflict', 'busy', 'unavailable', 'unreachable', 'internal'] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Whether a failed write took effect: `none`: certainly not; `unknown`: it may have. Reads are always `none`. */
export const writeOutcomes = ['none', 'unknown'] as const;
export type WriteOutcome = (typeof writeOutcomes)[number];

/** Defaults by code; options override them. */
const defaultsByCode = {
  invalid: { outcome: 'none', retry: false },
  not_found: { outcome: 'none', retry: false },
  conflict: { outcome: 'none', retry: false },
  busy: { outcome: 'none', retry: true },
  unavailable: { outcome: 'unknown', retry: false },
  unreachable: { outcome: 'unknown', retry: false },
  internal: { outcome: 'unknown', retry: false },
} as const satisfies Record<ErrorCode, Pick<NoteError, 'outcome' | 'retry'>>;

export interface NoteErrorOptions extends ErrorOptions {
  readonly outcome?: WriteOutcome;
  readonly retry?: boolean;
}

/** The only error meant to be shown. Its message is for people; programs read the other fields. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
  readonly code: ErrorCode;
  readonly outcome: WriteOutcome;
  /** Whether the same request may succeed a moment later and is safe to send again. */
  readonly retry: boolean;

  constructor(code: ErrorCode, message: string, options: NoteErrorOptions = {}) {
    super(message, options);
    const { outcome = defaultsByCode[code].outcome, retry = defaultsByCode[code].retry } = options;
    this.code = code;
    this.outcome = outcome;
    this.retry = retry;
  }

  /** Returns the same error with another message. */
  withMessage(message: string): NoteError {
    return new NoteError(this.code, message, { cause: this, outcome: this.outcome, retry: this.retry });
  }
}

export const createInvalidError = (reason: string) => new NoteError('invalid', reason);

/** For `catch`: turns `not_found` into undefined and rethrows anything else. */
export function rethrowUnlessNotFound(error: unknown): undefined {
  if (!(error instanceof NoteError && error.code === 'not_found')) throw error;
}

/** Whether a request was rejected for now, without effect. */
export const isBusyError = (error: unknown): error is NoteError => error instanceof NoteError && error.code === 'busy';

/** Whether a write was rejected because its note has changed. */
export const isConflictError = (error: unknown): error is NoteError =>
  error instanceof NoteError && error.code === 'conflict';
