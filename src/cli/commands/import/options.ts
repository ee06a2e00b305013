import { type Command, Option } from 'commander';
import { categories } from '../../../domain/enums.ts';
import type { NoteDraft } from '../../../domain/note.ts';
import { type StoreOptions, withStoreOptions } from '../../notes/store-options.ts';

/** Flags shared by `import` and `sync`. */
export interface TakingFlags extends StoreOptions {
  readonly category?: NoteDraft['category'];
  readonly allowSecrets?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

export interface ImportFlags extends TakingFlags {
  readonly format?: string;
  readonly dryRun?: boolean;
  readonly onError: 'stop' | 'continue';
  readonly newIds?: boolean;
}

export const withTakingFlags = (command: Command): Command =>
  withStoreOptions(
    command
      .addOption(
        new Option('-c, --category <category>', 'where files of code and Markdown go that say none').choices(
          categories,
        ),
      )
      .option('--allow-secrets', 'take notes that seem to hold keys or passwords, too')
      .option('--json', 'print what became of the notes as JSON')
      .option('--verbose', 'name each bad note, and what was left out'),
  );
