import type { TakingFlags } from '../import/options.ts';

export interface SyncFlags extends TakingFlags {
  readonly watch?: boolean;
  /** In seconds. */
  readonly every: number;
}
