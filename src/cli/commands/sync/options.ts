import type { NoteDraft } from '../../../domain/note.ts';
import type { StoreOptions } from '../../notes/store-options.ts';

export interface SyncFlags extends StoreOptions {
  readonly watch?: boolean;
  /** In seconds. */
  readonly every: number;
  readonly category?: NoteDraft['category'];
  readonly allowSecrets?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}
