import type { NoteDraft } from '../../../domain/note.ts';
import type { StoreOptions } from '../../notes/store-options.ts';

export interface ImportFlags extends StoreOptions {
  readonly format?: string;
  readonly dryRun?: boolean;
  readonly onError: 'stop' | 'continue';
  readonly newIds?: boolean;
  readonly category?: NoteDraft['category'];
  readonly allowSecrets?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}
