import type { FilterFlags } from '../../notes/filter.ts';
import type { StoreOptions } from '../../notes/store-options.ts';

export const exportFormats = ['ndjson', 'json', 'markdown'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportFlags extends StoreOptions, Omit<FilterFlags, 'all'> {
  readonly format?: ExportFormat;
  readonly active?: boolean;
  readonly force?: boolean;
  /** Whether to include earlier versions. */
  readonly history?: boolean;
}
