import { type Command, InvalidArgumentError, Option } from 'commander';
import { categories } from '../../../core/enums.ts';
import type { NoteDraft } from '../../../core/note.ts';
import type { NoteFlags } from '../../flag-types.ts';
import { addStoreFlags } from '../../flags.ts';

/** Flags shared by `import` and `sync`. */
export interface SourceFlags extends NoteFlags {
  readonly category?: NoteDraft['category'];
  readonly allowSecrets?: boolean;
  /** Hashes of suspected secrets. */
  readonly ignore?: readonly string[];
  readonly verbose?: boolean;
}

export const addImportAndSyncFlags = (command: Command): Command =>
  addStoreFlags(
    command
      .addOption(
        new Option('-c, --category <category>', 'for files of code and Markdown that name none').choices(categories),
      )
      .option('--allow-secrets', 'also import notes that seem to hold keys or passwords')
      .option(
        '--ignore <hash>',
        'take what is shown with this hash for no secret, now and later; may be repeated',
        parseAndAddIgnoredHash,
      )
      .option('--json', 'print the result as JSON')
      .option('--verbose', 'name each bad note, and everything left out'),
  );

function parseAndAddIgnoredHash(text: string, others: readonly string[] = []): readonly string[] {
  if (!/^[\da-f]{12}$/.test(text)) throw new InvalidArgumentError('It must be 12 digits or letters from a to f.');
  return [...others, text];
}

export interface ImportFlags extends SourceFlags {
  readonly format?: string;
  readonly dryRun?: boolean;
}
