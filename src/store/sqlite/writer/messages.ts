import { type Code, NoteError, type WriteOutcome } from '../../../domain/error.ts';
import { codeOf, messageOf } from '../../../shared/thrown.ts';
import { failureOf, noteErrorOf } from '../failure.ts';
import type { Effect } from '../statements/writes.ts';

/** Reply to a request. `isForeign`: another program has committed since the last reply. */
export type Reply =
  | { readonly isForeign: boolean; readonly result: unknown }
  | { readonly isForeign: boolean; readonly failure: SentError };

/** A reply, or once, unrequested, that the state on disk has become uncertain. */
export type Message = Reply | { readonly lost: SentError };

/** An error in a form that can be sent between threads. */
export interface SentError {
  readonly message: string;
  /** Properties of a `NoteError`. */
  readonly shown: { readonly code: Code; readonly outcome: WriteOutcome; readonly retry: boolean } | undefined;
  /** Whether the state on disk has become uncertain. */
  readonly isLost: boolean;
  readonly cause: { readonly message: string; readonly code: string } | undefined;
}

/** The outcome of a write in a form that can be sent. */
export type SentEffect = Exclude<Effect, { error: NoteError }> | { readonly error: SentError };

export const sentEffect = (effect: Effect): SentEffect =>
  'error' in effect ? { error: sentError(effect.error, 'write') } : effect;

export function sentError(error: unknown, during: 'read' | 'write'): SentError {
  const shown = noteErrorOf(error, during);
  const cause = shown instanceof Error ? shown.cause : undefined;
  return {
    message: messageOf(shown),
    shown: shown instanceof NoteError ? { code: shown.code, outcome: shown.outcome, retry: shown.retry } : undefined,
    isLost: failureOf(error) === 'stop',
    cause: cause instanceof Error ? { message: cause.message, code: codeOf(cause) } : undefined,
  };
}

export function receivedError({ message, shown, cause }: SentError): Error {
  const options = cause && { cause: Object.assign(new Error(cause.message), { code: cause.code }) };
  return shown ? new NoteError(shown.code, message, { ...options, ...shown }) : new Error(message, options);
}
