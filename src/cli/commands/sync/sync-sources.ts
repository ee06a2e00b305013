import { NoteError } from '../../../core/error.ts';
import type { PortableStore } from '../../../core/store.ts';
import { formatNumber } from '../../../core/text/format-counts.ts';
import { Importer } from '../../../formats/importer.ts';
import { readAllOrigins } from '../../../formats/origin.ts';
import { formatFileErrorClause } from '../../error-text.ts';
import type { ExitCode } from '../../exit-code.ts';
import { interceptStopSignals } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { identifyStore } from '../../notes/locate-store.ts';
import { addLockHolder, openOrCreateNotes } from '../../notes/open-notes.ts';
import { toPrintableLine, toPrintableText } from '../../terminal/printable-text.ts';
import { hashText } from '../import/dry-run-store.ts';
import { addAndReadIgnoredSecrets } from '../import/ignored-secrets.ts';
import { ImportPrinter } from '../import/import-printer.ts';
import { createSecretConfirmation, SecretGuard } from '../import/secret-guard.ts';
import type { SourceFlags } from '../import/source-flags.ts';
import { ChangedFilesReader } from './changed-files.ts';
import { yieldSyncRounds } from './sync-rounds.ts';
import { SyncState } from './sync-state.ts';

/** Imports changes in files and folders since the last time, once or until stopped. */
export async function syncOnceOrWatch(sources: readonly string[], flags: SyncFlags, io: Io): Promise<ExitCode> {
  const signal = interceptStopSignals(io);
  if (!flags.watch) return syncOnce(sources, flags, io, signal);
  for await (const _ of yieldSyncRounds(sources, flags.every * 1000, signal)) {
    try {
      await syncOnce(sources, flags, io, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof NoteError)) throw error;
      io.stderr.write(`notes: ${toPrintableText(error.message)}. Trying again\n`);
    }
  }
  throw signal.reason;
}

async function syncOnce(sources: readonly string[], flags: SyncFlags, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const state = new SyncState(io.env, identifyStore(io, flags));
  await using store = await openOrCreateNotes(io, flags);
  const stored = await readImportedStates(store);
  using printer = new ImportPrinter(io, flags);
  const confirm = flags.watch ? undefined : createSecretConfirmation(io, printer);
  const secrets = new SecretGuard(printer, confirm, await addAndReadIgnoredSecrets(io.env, flags.ignore));
  const changed = new ChangedFilesReader({ state, stored, secrets, stdin: io.stdin, category: flags.category, signal });
  const importer = new Importer(store, {
    ...printer.createImporterEvents(() => undefined),
    isOriginOfOtherSource: (key) => state.hasOrigin(key),
    digest: hashText,
  });
  try {
    const records = changed.readChangedRecords(sources);
    await importer.importRecords(flags.allowSecrets ? records : secrets.filterRecords(records));
    changed.recordImports(changed.changed > 0 ? await readImportedStates(store) : stored);
    await tryToSaveSyncState(state, io);
  } catch (error) {
    throw addLockHolder(error, store.location);
  } finally {
    const { files, changed: read } = changed;
    if (read > 0 || !flags.watch)
      printer.printReport(
        importer.report,
        `${formatNumber(read)} changed ${read === 1 ? 'file' : 'files'} of ${formatNumber(files)}`,
      );
  }
  for (const failure of changed.failures) printer.printLines(failure);
  const { bad, left, withheld } = importer.report;
  return bad + left + withheld + changed.failures.length > 0 ? 1 : 0;
}

/** Ignores errors: the notes are stored anyway. */
async function tryToSaveSyncState(state: SyncState, io: Io): Promise<void> {
  try {
    await state.save();
  } catch (error) {
    io.stderr.write(
      `notes: The next sync reads the same files again: ${toPrintableLine(formatFileErrorClause(error))}\n`,
    );
  }
}

/** What the store last imported from sources, by keys of origins. */
async function readImportedStates(store: Pick<PortableStore, 'origins'>): Promise<ReadonlyMap<string, string>> {
  const importedStates = new Map<string, string>();
  for await (const some of readAllOrigins(store)) for (const one of some) importedStates.set(one.key, one.taken);
  return importedStates;
}

export interface SyncFlags extends SourceFlags {
  readonly watch?: boolean;
  /** In seconds. */
  readonly every: number;
}
