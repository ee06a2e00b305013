/**
 * In ms, how long a store or service in tests waits for PostgreSQL, unless a test is about that deadline: a busy
 * machine never needs so long.
 */
export const databaseTimeoutMs = 60_000;

/** The same as a setting of a service or command. */
export const patientSettings = { DATABASE_TIMEOUT_MS: String(databaseTimeoutMs) };
