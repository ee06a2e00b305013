/** Several modules or tests use these messages about requests. They are imported as `httpMessage`. */
import { truncateText } from '../../core/text/truncate-text.ts';

export const wrongContentType = 'Content-Type must be application/json';
export const notUtf8 = 'Request body must be valid UTF-8';
export const malformedJson = 'Malformed JSON in request body';
export const notAnObject = 'Request body must be a JSON object';
export const formatUnsupportedContentEncoding = (coding: string) =>
  `Invalid Content-Encoding: ${truncateText(coding, 100)}. Request body must be sent without one`;
export const trailers = 'Request body must not have trailers';
export const formatBodyTooLarge = (limit: number) =>
  `Request body must not be larger than ${limit} bytes (MAX_BODY_BYTES)`;
export const formatNumberedNoteError = (ordinal: number, reason: string) => `Note ${ordinal}: ${reason}`;
const hintByMethod: Readonly<Record<string, string>> = {
  DELETE: 'Notes are archived, not deleted: PATCH <path>/archive',
  PATCH: 'Change its fields by PUT',
};
export const formatNoSuchEndpoint = (method: string, path: string) => {
  const hint = /^\/api\/notes\/\d+$/.test(path) ? hintByMethod[method] : undefined;
  return `No such endpoint: ${method} ${path}${hint === undefined ? '' : `. ${hint}`}`;
};
export const hostNotAllowed = 'Host is not allowed. Add it to ALLOWED_HOSTS to serve it';
export const wrongToken = 'The access token is wrong';
export const readOnlyToken = 'The access token may only read';
export const tooManyWrongTokens = 'Too many wrong access tokens. Try again later';
export const tooManyListeners = 'Too many listeners. Try again later, or request the list';
export const noChangeLog = 'The database keeps no log of changes. Request the list instead';
