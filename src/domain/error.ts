/**
 * What can go wrong with a note, named by code:
 * `invalid` the input breaks a rule; `not_found` no such note or endpoint; `conflict` the note has moved on;
 * `busy` refused for now and nothing changed; `unavailable` the store failed, the outcome may be unknown;
 * `unreachable` no service answers (client only); `internal` a mistake of ours.
 */
export const codes = ['invalid', 'not_found', 'conflict', 'busy', 'unavailable', 'unreachable', 'internal'] as const;
export type Code = (typeof codes)[number];

/** The only error that is meant to be shown. Its message is for people; programs look at `code`. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
