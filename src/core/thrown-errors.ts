/** Reads thrown values, which need not be errors. */

export const getErrorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The code of a system, SQLite or driver error; empty if it has none. */
export const getErrorCodeOrEmpty = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code ?? '') : '';
