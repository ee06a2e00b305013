/** Messages shared by service, page and command line. Imported as `message`. */
export const missingFields = (fields: readonly string[]) => `Missing required fields: ${fields.join(', ')}`;
export const notOneOf = (field: string, values: readonly string[]) =>
  `Invalid ${field}. Must be one of: ${values.join(', ')}`;
export const emptyText = (field: string) => `Invalid ${field}. Must be a non-empty string`;
export const unkeepableText = (field: string) =>
  `Invalid ${field}. Must not contain NUL (U+0000) or unpaired surrogates`;
export const invalidLimit = (max: number) => `Invalid limit. Must be an integer from 1 to ${max}`;
export const invalidAfter = 'Invalid after. Must be an id, or 0';
export const invalidQuery = (max: number) => `Invalid q. Must be given once, with at most ${max} characters`;
export const idMismatch = 'ID in request body must match the ID in the URL path';
export const noSuchNote = (id: number | string) => `Note with ID ${id} not found`;
export const noSuchVersion = (id: number) => `Note with ID ${id} has no such version in its history`;
export const noteChanged = (id: number) => `Note with ID ${id} has changed since it was read`;

export const invalidId = (max: number) => `Invalid id. Must be an integer from 1 to ${max}`;
export const tooManyToMerge = (max: number) => `Must hold an array "notes" of at most ${max} notes`;
export const unknownField = (name: string, known: readonly string[]) =>
  `Unknown field ${name}. Must be one of: ${known.join(', ')}`;
export const invalidLabel = (group: string, max: number) =>
  `Invalid ${group}. Must be null, or a text of 1 to ${max} characters without control characters`;
export const labelTaken = (group: string, other: string) => `Invalid ${group}. Must differ from ${other} and its label`;
export const noteNotAnObject = 'Must be a JSON object';
export const wrongNote = (ordinal: number, reason: string) => `Note ${ordinal}: ${reason}`;

export const wrongContentType = 'Content-Type must be application/json';
export const notUtf8 = 'Request body must be valid UTF-8';
export const malformedJson = 'Malformed JSON in request body';
export const notAnObject = 'Request body must be a JSON object';
export const trailers = 'Request body must not have trailers';
export const nestedTooDeep = (max: number) => `JSON must not be nested deeper than ${max} levels`;
export const tooManyParts = (max: number) => `JSON must not hold more than ${max} texts, commas and opening brackets`;
export const bodyIncomplete = 'Request body ended before it was complete';
export const bodyTooLarge = (limit: number) => `Request body must not be larger than ${limit} bytes (MAX_BODY_BYTES)`;
export const bodiesTooLarge = (limit: number) =>
  `Request bodies in flight together must not be larger than ${limit} bytes (8 x MAX_BODY_BYTES). Try again`;
export const noSuchEndpoint = (method: string, path: string) => `No such endpoint: ${method} ${path}`;
export const hostNotAllowed = 'Host is not allowed. Add it to ALLOWED_HOSTS to serve it';
export const originNotAllowed = 'Origin is not allowed. Add it to CORS_ORIGINS to serve it';
export const tokenMissing =
  'An access token is needed: as "Authorization: Bearer <token>", in NOTES_TOKEN for commands, at /sign-in for people';
export const tokenWrong = 'The access token is wrong';
export const tokenNotSent = 'Send a form with a token';
export const tokenOnlyReads = 'The access token may only read';
export const tooManyGuesses = 'Too many wrong access tokens. Try again later';
export const postOnly = '/mcp takes POST only';

export const nothingToChange = 'Must hold at least one field to change';
export const noSuchPrompt = (name: string) => `There is no prompt ${name}`;
export const missingArguments = (names: readonly string[]) => `Missing arguments: ${names.join(', ')}`;
export const promptTooLong = (max: number) => `The prompt is longer than ${max} characters`;
export const invalidCursor = 'Invalid cursor. Must be one that a list returned';

export const withheld = (id: number, kinds: readonly string[]) =>
  `Note ${id} is left out, as it seems to hold ${kinds.join(' and ')}. ` +
  'The user can allow such notes: see --allow-secrets of notes mcp, and MCP_SECRETS of notes serve';

export const unexpected = 'Unexpected server error';
export const internal = (requestId: string) =>
  `Unexpected server error. The log has the reason under request id ${requestId}`;
export const busy = 'Too many requests are waiting. Try again';
export const tooManyListeners = 'Too many listeners. Try again later, or request the list';
export const noChangeLog = 'The database keeps no log of changes. Request the list instead';
export const storeLocked = 'Another program holds the store. Nothing was changed. Try again';
export const noteLocked = 'Another program holds the note. Nothing was changed. Try again';
export const storeSlow = 'The store did not answer in time. Nothing was changed. Try again';
export const storeUnreachable = 'The database is unavailable at the moment. Nothing was changed. Try again';
export const storeReadOnlyNow = 'The database is read-only at the moment. Nothing was changed. Try again';
export const storeRefused = 'The database refused. Nothing was changed';
export const storeRefusesWrites = 'The store refuses writes at the moment';
export const rightMissing = (table: string) =>
  `The role of the database lacks a right to ${table}, so nothing was changed. ` +
  'docs/operations.md lists the rights that it needs';
export const noNotesThere = 'there are no notes. Name the store that holds them';
export const storeReadOnly = 'The database is read-only. Run notes doctor for the reason';
export const storeClosed = 'The service is stopping';
export const refusedByStore = 'The store refused the note';
export const storeWithoutRoom = 'The store has no room left';
export const storeFull = 'The store has no room left. Nothing was changed';
export const storeNotRead = 'The store could not be read. Try again';
export const storeFailed = 'The store failed. The change may or may not have been stored';
export const storeLost = 'The store has failed, and the service is stopping';
export const schemaChanged = (version: number) =>
  `The schema of the store is at version ${version}, which is not this program's`;
export const idsExhausted = 'The store has no more ids. Nothing was changed. Look for a note whose id is above 2^53';
export const rolledBackByTrigger = 'A trigger of another program has rolled the write back. Nothing was changed';
export const noService = (url: string) => `${url} is not a notes service`;
export const unreachable = (url: string) => `No notes service answers at ${url}`;
export const strangeAnswer = (status: number) => `The service answered ${status} with an unexpected body`;
