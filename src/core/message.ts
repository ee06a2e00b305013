/** Messages shared by service, page and command line. Imported as `message`. */
export const missingFields = (fields: readonly string[]) => `Missing required fields: ${fields.join(', ')}`;
export const notOneOf = (field: string, values: readonly string[]) =>
  `Invalid ${field}. Must be one of: ${values.join(', ')}`;
export const emptyText = (field: string) => `Invalid ${field}. Must be a non-empty string`;
export const unkeepableText = (field: string) =>
  `Invalid ${field}. Must not contain NUL (U+0000) or unpaired surrogates`;
export const invalidLimit = (max: number) => `Invalid limit. Must be an integer from 1 to ${max}`;
export const idMismatch = 'ID in request body must match the ID in the URL path';
export const noSuchNote = (id: number | string) => `Note with ID ${id} not found`;
export const noteChanged = (id: number) => `Note with ID ${id} has changed since it was read`;

export const invalidId = (max: number) => `Invalid id. Must be an integer from 1 to ${max}`;
export const unknownField = (name: string, known: readonly string[]) =>
  `Unknown field ${name}. Must be one of: ${known.join(', ')}`;
export const invalidLabel = (group: string, max: number) =>
  `Invalid ${group}. Must be null, or a text of 1 to ${max} characters without control characters`;
export const labelTaken = (group: string, other: string) => `Invalid ${group}. Must differ from ${other} and its label`;

export const unexpected = 'Unexpected server error';
export const busy = 'Too many requests are waiting. Try again';
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
