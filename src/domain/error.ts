/**
 * What can go wrong with a note, named by code:
 * `invalid` the input breaks a rule; `not_found` no such note or endpoint; `conflict` the note has moved on;
 * `busy` refused for now and nothing changed; `unavailable` the store failed, the outcome may be unknown;
 * `unreachable` no service answers (client only); `internal` a mistake of ours.
 */
const codes = ['invalid', 'not_found', 'conflict', 'busy', 'unavailable', 'unreachable', 'internal'] as const;
export type Code = (typeof codes)[number];

/** Whether the write that failed has happened: `none` certainly not, `unknown` it may have. A read changes nothing. */
export const writeOutcomes = ['none', 'unknown'] as const;
export type WriteOutcome = (typeof writeOutcomes)[number];

/** The header that carries it over HTTP. */
export const outcomeHeader = 'Notes-Outcome';

/** The defaults of each code; options override them. */
const byCode = {
  invalid: { outcome: 'none', retry: false },
  not_found: { outcome: 'none', retry: false },
  conflict: { outcome: 'none', retry: false },
  busy: { outcome: 'none', retry: true },
  unavailable: { outcome: 'unknown', retry: false },
  unreachable: { outcome: 'unknown', retry: false },
  internal: { outcome: 'unknown', retry: false },
} as const satisfies Record<Code, Pick<NoteError, 'outcome' | 'retry'>>;

export interface NoteErrorOptions extends ErrorOptions {
  readonly outcome?: WriteOutcome;
  readonly retry?: boolean;
}

/** The only error that is meant to be shown. Its message is for people; programs look at the rest. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
  readonly code: Code;
  readonly outcome: WriteOutcome;
  /** Whether the same request may succeed a moment later, and does no harm when it is sent again. */
  readonly retry: boolean;

  constructor(code: Code, message: string, options: NoteErrorOptions = {}) {
    super(message, options);
    const { outcome = byCode[code].outcome, retry = byCode[code].retry } = options;
    this.code = code;
    this.outcome = outcome;
    this.retry = retry;
  }

  /** The same error in other words. */
  reworded(message: string): NoteError {
    return new NoteError(this.code, message, { cause: this, outcome: this.outcome, retry: this.retry });
  }
}

/** The input breaks a rule: `reason` says which. */
export const invalid = (reason: string) => new NoteError('invalid', reason);

/** Stands for a note that is not there; for `catch`. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NoteError && error.code === 'not_found')) throw error;
}
