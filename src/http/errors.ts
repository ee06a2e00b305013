import type { Context } from 'hono';
import { type Code, NoteError } from '../domain/error.ts';
import * as message from '../domain/message.ts';
import { jsonHeaders } from './headers.ts';
import type { Log } from './log.ts';
import { requestIdOf } from './request-id.ts';

/** The HTTP status of each error code. */
export const statusOf = {
  invalid: 400,
  not_found: 404,
  conflict: 412,
  busy: 500,
  unavailable: 500,
  unreachable: 500,
  internal: 500,
} as const satisfies Record<Code, number>;

/** The one shape of an error answer: `{"error": …}`. */
export const answerError = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify({ error: text }), { status, headers: { ...jsonHeaders, ...headers } });

/** Turns what a handler threw into an answer. What is not a `NoteError` is a mistake of ours, told to the log alone. */
export function createErrorHandler(log: Log): (error: unknown, c: Context) => Response {
  return (error, c) => {
    const status = error instanceof NoteError ? statusOf[error.code] : 500;
    if (status === 500) tell(log, error, c);
    const isShown = error instanceof NoteError && error.code !== 'internal';
    return answerError(status, isShown ? error.message : message.internal(requestIdOf(c)));
  };
}

/** What is refused for now is foreseen and may be frequent: it takes a line without a stack. */
function tell(log: Log, error: unknown, c: Context): void {
  const { method, path } = c.req;
  const request = { requestId: requestIdOf(c), method, path };
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(error instanceof NoteError && error.code === 'busy')) {
    log.error({ err: error, cause, ...request }, 'Request failed');
    return;
  }
  const reason = cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
  log.warn({ ...request, reason }, 'Request refused for now');
}
