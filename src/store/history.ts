/** Default number of versions kept per note. */
export const defaultMaxVersions = 100;

/** Limits of one read: versions, and approximate characters, as each version may be as long as a note. */
export const maxRead = 1_000;
export const maxReadChars = 1024 * 1024;

/** Versions to read, in descending order of note and time. */
export interface VersionsRange {
  /** Exclusive upper bound: versions of lower ids, and those of this id before a time in ms since 1970. */
  readonly end: { readonly id: number; readonly updatedAt: number };
  readonly lowestId: number;
  readonly limit: number;
}
