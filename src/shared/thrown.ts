/** What was thrown: mostly an error, but every value can be. */

export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The code of an error of the system, of SQLite or of a driver; empty where it has none. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code ?? '') : '';
