/** Messages shared by service, page and command line. Imported as `message`. */
export const missingFields = (fields: readonly string[]) => `Missing required fields: ${fields.join(', ')}`;
export const notOneOf = (field: string, values: readonly string[]) =>
  `Invalid ${field}. Must be one of: ${values.join(', ')}`;
export const emptyText = (field: string) => `Invalid ${field}. Must be a non-empty string`;
export const formatUnstorableText = (field: string) =>
  `Invalid ${field}. Must not contain NUL (U+0000) or unpaired surrogates`;
export const limitOutOfRange = (max: number) => `Invalid limit. Must be an integer from 1 to ${max}`;
export const idMismatch = 'ID in request body must match the ID in the URL path';
export const noSuchNote = (id: number | string) => `Note with ID ${id} not found`;
export const noteChanged = (id: number) => `Note with ID ${id} has changed since it was read`;

export const idOutOfRange = (max: number) => `Invalid id. Must be an integer from 1 to ${max}`;
export const unknownField = (name: string, known: readonly string[]) =>
  `Unknown field ${name}. Must be one of: ${known.join(', ')}`;
export const invalidLabel = (value: string, max: number) =>
  `Invalid ${value}. Must be null, or a text of 1 to ${max} characters without control characters`;
export const labelTaken = (value: string, other: string) => `Invalid ${value}. Must differ from ${other} and its label`;

/** How a database is named, in the advice of a store. Commands that name it otherwise replace this. */
export const databaseSetting = '--db or DATABASE_URL';

export const unexpected = 'Unexpected server error';
export const busy = 'Too many requests are waiting. Try again';
export const storeClosed = 'The service is stopping';
export const storeNotRead = 'The store could not be read. Try again';
export const storeFailed = 'The store failed. The change may or may not have been stored';
