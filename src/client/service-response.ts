import { type ErrorCode, NoteError, type NoteErrorOptions, writeOutcomes } from '../core/error.ts';
import { isObject, tryParseJson } from '../core/json/json.ts';
import type { Note } from '../core/note.ts';
import { getErrorCodeForStatus, outcomeHeader } from '../core/protocol.ts';

/** Whether a request may change notes. If a `write` fails, it may have taken effect all the same. */
export type RequestKind = 'read' | 'write';

/** A response of the service, with its body. */
export interface ServiceResponse {
  readonly requestKind: RequestKind;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** Reads the body of a response. Rejects if the connection breaks. */
export async function readStatusAndJsonIfAny(response: Response, requestKind: RequestKind): Promise<ServiceResponse> {
  const { status, headers } = response;
  return { requestKind, status, headers, body: tryParseJson(await response.text()) };
}

/** Returns the body of a successful response. Throws the error that any other response describes. */
export function getSuccessBody<Result>(response: ServiceResponse, isResult: (body: unknown) => body is Result): Result {
  if (response.status === 200 && isResult(response.body)) return response.body;
  throw createResponseError(response);
}

export const looksLikeNote = (body: unknown): body is Note => isObject(body) && 'id' in body;

/** A failed read changed nothing, and can be sent again. */
export const failedReadOptions = { outcome: 'none', retry: true } as const satisfies NoteErrorOptions;

/** Creates the error of a request without a response. `address` is where the service should be. */
export const createUnreachableError = (address: string, cause: unknown, requestKind: RequestKind): NoteError =>
  new NoteError('unreachable', `No notes service answers at ${address}`, {
    ...(requestKind === 'read' && failedReadOptions),
    cause,
  });

/** Creates the error of a response that this service never sends. */
export const createUnexpectedBodyError = (status: number): NoteError =>
  new NoteError('unavailable', unexpectedBodyText(status));

const unexpectedBodyText = (status: number) => `The service answered ${status} with an unexpected body`;

/** A proxy sends these statuses when the service behind it does not respond. */
const gatewayStatuses: readonly number[] = [502, 503, 504];

/** Only proxies send this status: the service itself responds to large bodies with 400. */
const proxyBodyLimitStatus = 413;
const proxyBodyLimitText =
  'A proxy in front of the service refuses request bodies of this size (413). Nothing was stored. ' +
  'Raise its limit, which is client_max_body_size in nginx';

/** Creates the `NoteError` that status, headers and body of a response describe. */
export function createResponseError(response: ServiceResponse): NoteError {
  const { status, body } = response;
  if (status === proxyBodyLimitStatus) return new NoteError('invalid', proxyBodyLimitText);
  const options = getErrorOptionsFromResponse(response);
  if (isObject(body) && typeof body['error'] === 'string')
    return new NoteError(getErrorCodeForStatus(status), body['error'], options);
  const code: ErrorCode = gatewayStatuses.includes(status) ? 'unreachable' : 'unavailable';
  return new NoteError(code, unexpectedBodyText(status), options);
}

/** Reads from the headers whether a write took effect and can be retried. Without them, the code decides. */
function getErrorOptionsFromResponse({ headers, requestKind }: ServiceResponse): NoteErrorOptions {
  const header = headers.get(outcomeHeader);
  const outcome = requestKind === 'read' ? 'none' : writeOutcomes.find((known) => known === header);
  const retry = outcome === 'none' && headers.has('retry-after');
  return outcome === undefined ? { retry } : { outcome, retry };
}
