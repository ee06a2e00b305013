/** Every sentence that a person may read about a note, once: the service, the page and the command line say the same words. */
export const message = {
  missingFields: (fields: readonly string[]) => `Missing required fields: ${fields.join(', ')}`,
  notOneOf: (field: string, values: readonly string[]) => `Invalid ${field}. Must be one of: ${values.join(', ')}`,
  emptyText: (field: string) => `Invalid ${field}. Must be a non-empty string`,
  unkeepableText: (field: string) => `Invalid ${field}. Must not contain NUL (U+0000) or unpaired surrogates`,
  idMismatch: 'ID in request body must match the ID in the URL path',
  noSuchNote: (id: number | string) => `Note with ID ${id} not found`,
  noteChanged: (id: number) => `Note with ID ${id} has changed since it was read`,

  wrongContentType: 'Content-Type must be application/json',
  notUtf8: 'Request body must be valid UTF-8',
  malformedJson: 'Malformed JSON in request body',
  notAnObject: 'Request body must be a JSON object',
  bodyIncomplete: 'Request body ended before it was complete',
  bodyTooLarge: (limit: number) => `Request body must not be larger than ${limit} bytes (MAX_BODY_BYTES)`,
  bodiesTooLarge: (limit: number) =>
    `Request bodies in flight together must not be larger than ${limit} bytes (8 x MAX_BODY_BYTES). Try again`,
  noSuchEndpoint: (method: string, path: string) => `No such endpoint: ${method} ${path}`,
  hostNotAllowed: 'Host is not allowed. Add it to ALLOWED_HOSTS to serve it',

  unexpected: 'Unexpected server error',
  internal: (requestId: string) => `Unexpected server error. The log tells more under request id ${requestId}`,
  busy: 'Too many requests are waiting. Try again',
  storeLocked: 'Another program holds the store. Nothing was changed. Try again',
  storeSlow: 'The store did not answer in time. Nothing was changed. Try again',
  storeUnreachable: 'The database is not there at the moment. Nothing was changed. Try again',
  storeRefused: 'The database refused. Nothing was changed. The log tells why',
  storeReadOnly: 'The database is read-only',
  storeClosed: 'The service is stopping',
  refusedByStore: 'The store refused the note',
  storeFull: 'The store has no room left. Nothing was changed',
  storeFailed: 'The store failed. The change may or may not have been stored',
  schemaChanged: (version: number) => `The schema of the store is at version ${version}, which is not this program's`,
  idTaken: (id: number) =>
    `another program has stored a note under ID ${id}, which belongs to a note in the log beside it (-redo). Give that one another ID`,
  unreachable: (url: string) => `No notes service answers at ${url}`,
  strangeAnswer: (status: number) => `The service answered ${status} with something that is not its JSON`,
} as const;
