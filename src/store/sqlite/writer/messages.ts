import { type Code, NoteError, type WriteOutcome } from '../../../domain/error.ts';
import { unexpected } from '../../../domain/message.ts';
import { codeOf } from '../../../shared/thrown.ts';
import { failureOf, noteErrorOf } from '../failure.ts';
import type { Effect } from '../statements/writes.ts';

/** Reply to a request. `isForeign`: another program has committed since the last reply. */
export type Reply =
  | { readonly isForeign: boolean; readonly result: unknown }
  | { readonly isForeign: boolean; readonly failure: SentError };

/** A reply, or once, unrequested, that the state on disk has become uncertain. */
export type Message = Reply | { readonly lost: SentError };

/** A `NoteError` in a form that can be sent between threads. */
export interface SentError {
  readonly message: string;
  readonly code: Code;
  readonly outcome: WriteOutcome;
  readonly retry: boolean;
  /** Whether the state on disk has become uncertain. */
  readonly isLost: boolean;
  readonly cause: { readonly message: string; readonly code: string } | undefined;
}

/** The outcome of a write in a form that can be sent. */
export type SentEffect = Exclude<Effect, { error: NoteError }> | { readonly error: SentError };

export const sentEffect = (effect: Effect): SentEffect =>
  'error' in effect ? { error: sentError(effect.error, 'write') } : effect;

export function sentError(thrown: unknown, during: 'read' | 'write'): SentError {
  const error = noteErrorOf(thrown, during);
  const shown = error instanceof NoteError ? error : new NoteError('internal', unexpected, { cause: error });
  const { message, code, outcome, retry, cause } = shown;
  const sentCause = cause instanceof Error ? { message: cause.message, code: codeOf(cause) } : undefined;
  return { message, code, outcome, retry, isLost: failureOf(thrown) === 'stop', cause: sentCause };
}

export function receivedError({ message, code, outcome, retry, cause }: SentError): NoteError {
  const options = cause && { cause: Object.assign(new Error(cause.message), { code: cause.code }) };
  return new NoteError(code, message, { ...options, outcome, retry });
}
