import type { FilterFlags } from '../../notes/filter.ts';
import type { StoreOptions } from '../../notes/store-options.ts';

/** The formats that notes are written in. */
export const exportFormats = ['ndjson', 'json', 'markdown'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportFlags extends StoreOptions, Omit<FilterFlags, 'all'> {
  readonly format?: ExportFormat;
  readonly active?: boolean;
  readonly force?: boolean;
  /** Whether they are written as skills of Claude Code. */
  readonly skills?: boolean;
  /** Whether earlier versions are written, too. */
  readonly history?: boolean;
}
