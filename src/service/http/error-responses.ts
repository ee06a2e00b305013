import type { Context } from 'hono';
import { NoteError, type WriteOutcome } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { outcomeHeader, statusByCode } from '../../core/protocol.ts';
import type { Log } from '../log.ts';
import { getOrCreateRequestAndTraceIds, getOrCreateRequestId } from './request.ts';
import { jsonHeaders } from './response-headers.ts';

/** Every error response has this shape: `{"error": …}`. */
export const createErrorResponse = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify({ error: text }), { status, headers: { ...jsonHeaders, ...headers } });

/** Creates the response to a request that is rejected before its handler runs. */
export const createNoEffectErrorResponse = (
  c: Context,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
) => createErrorResponse(status, text, { ...createOutcomeHeaderIfWrite(c.req.method, 'none'), ...headers });

/**
 * Creates a function that turns thrown values into responses. Details of anything but a `NoteError` appear only in the
 * log, as that is a bug.
 */
export function createErrorHandler(log: Log): (error: unknown, c: Context) => Response {
  return (thrown, c) => {
    const error = thrown instanceof NoteError ? thrown : new NoteError('internal', message.unexpected);
    const status = statusByCode[error.code];
    if (status === 500) logRequestFailure(log, thrown, c);
    const text =
      error.code === 'internal'
        ? `Unexpected server error. The log has the reason under request id ${getOrCreateRequestId(c)}`
        : error.message;
    return createErrorResponse(status, text, createOutcomeAndRetryHeaders(error, c.req.method));
  };
}

const createOutcomeAndRetryHeaders = ({ outcome, retry }: NoteError, method: string): Record<string, string> => ({
  ...createOutcomeHeaderIfWrite(method, outcome),
  ...(retry && { 'Retry-After': '1' }),
});

/** Only writes have an outcome, so reads get no header. */
const createOutcomeHeaderIfWrite = (method: string, outcome: WriteOutcome): Record<string, string> =>
  method === 'GET' || method === 'HEAD' ? {} : { [outcomeHeader]: outcome };

/** Logs failures of the store, which may be frequent, as a line without a stack. */
function logRequestFailure(log: Log, error: unknown, c: Context): void {
  const { method, path } = c.req;
  const request = { ...getOrCreateRequestAndTraceIds(c), method, path };
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(error instanceof NoteError) || error.code === 'internal') {
    log.error({ err: error, cause, ...request }, 'Request failed');
    return;
  }
  const reason = cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
  if (error.code === 'busy') log.warn({ ...request, reason }, 'Request refused for now');
  else log.error({ ...request, reason }, 'Request failed');
}
