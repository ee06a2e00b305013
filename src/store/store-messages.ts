/** Messages of stores, and of several modules of them. Imported as `storeMessage`. */
export const storeLocked = 'Another program holds the store. Nothing was changed. Try again';
export const noteLocked = 'Another program holds the note. Nothing was changed. Try again';
export const storeSlow = 'The store did not answer in time. Nothing was changed. Try again';
export const storeUnreachable = 'The database is unavailable at the moment. Nothing was changed. Try again';
export const storeReadOnlyNow = 'The database is read-only at the moment. Nothing was changed. Try again';
export const statementRejected = 'The database refused. Nothing was changed';
export const writesRejected = 'The store refuses writes at the moment';
export const missingRight = (table: string) =>
  `The role of the database lacks a right to ${table}, so nothing was changed. ` +
  'docs/operations/postgresql.md lists the rights that it needs';
export const noNotesInStore = 'there are no notes. Name the store that holds them';
export const storeReadOnly = 'The database is read-only. Run notes doctor for the reason';
export const noteRejected = 'The store refused the note';
export const storeWithoutRoom = 'The store has no room left';
export const storeFull = 'The store has no room left. Nothing was changed';
export const storeStopping = 'The store has failed, and the service is stopping';
export const schemaChanged = (version: number) =>
  `The schema of the store is at version ${version}, which is not this program's`;
export const idsExhausted = 'The store has no more ids. Nothing was changed. Look for a note whose id is above 2^53';
export const rolledBackByTrigger = 'A trigger of another program has rolled the write back. Nothing was changed';
export const workerWithoutLog =
  'it is a worker of Citus, where the log of changes is not. Name the coordinator in the address';
