/** Called after each commit with the number of durable writes and the duration in seconds. */
export type CommitObserver = (writes: number, seconds: number) => void;

export interface StoreSettings {
  readonly onCommit: CommitObserver;
  /** Memory limit of the list cache, in bytes; 0 disables it. */
  readonly cacheBytes: number;
  /** Maximum number of versions stored per note; 0 stores none. */
  readonly maxVersions: number;
}

export const defaultStoreSettings: StoreSettings = {
  onCommit() {},
  cacheBytes: 64 * 1024 * 1024,
  maxVersions: 100,
};

/**
 * How long the entry of an ended session is stored after the session would have ended by itself, in ms: the clock of
 * another instance may be late.
 */
export const endedSessionGraceMs = 24 * 60 * 60_000;
