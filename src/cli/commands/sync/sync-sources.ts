import { NoteError } from '../../../core/error.ts';
import type { PortableStore } from '../../../core/store.ts';
import { formatInteger } from '../../../core/text/format-counts.ts';
import { Importer } from '../../../formats/importer.ts';
import { streamOriginBatches } from '../../../formats/origin.ts';
import { formatFileErrorClause } from '../../error-text.ts';
import type { ExitCode } from '../../exit-code.ts';
import { interceptStopsAsAbortSignal } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openOrCreateNoteStore, toErrorWithLockHolder } from '../../notes/open-note-store.ts';
import { createStoreIdentifier } from '../../notes/store-location.ts';
import { toPrintableLine, toPrintableText } from '../../terminal/printable-text.ts';
import { computeSha256Base64 } from '../import/dry-run-store.ts';
import { saveAndReadIgnoredSecretHashes } from '../import/ignored-secrets.ts';
import { ImportPrinter } from '../import/import-printer.ts';
import { createSecretConfirmationIfInteractive, SecretGuard } from '../import/secret-guard.ts';
import type { SourceFlags } from '../import/source-flags.ts';
import { ChangedFileReader } from './changed-file-reader.ts';
import { streamSyncTriggers } from './sync-rounds.ts';
import { SyncState } from './sync-state.ts';

/** Imports changes in files and folders since the last time, once or until stopped. */
export async function syncOnceOrWatch(sources: readonly string[], flags: SyncFlags, io: Io): Promise<ExitCode> {
  const signal = interceptStopsAsAbortSignal(io);
  if (!flags.watch) return syncOnceAndPrintReport(sources, flags, io, signal);
  for await (const _ of streamSyncTriggers(sources, flags.every * 1000, signal)) {
    try {
      await syncOnceAndPrintReport(sources, flags, io, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof NoteError)) throw error;
      io.stderr.write(`notes: ${toPrintableText(error.message)}. Trying again\n`);
    }
  }
  throw signal.reason;
}

async function syncOnceAndPrintReport(
  sources: readonly string[],
  flags: SyncFlags,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const state = new SyncState(io.env, createStoreIdentifier(io, flags));
  await using store = await openOrCreateNoteStore(io, flags);
  const stored = await readImportedStatesByOrigin(store);
  using printer = new ImportPrinter(io, flags);
  const confirm = flags.watch ? undefined : createSecretConfirmationIfInteractive(io, printer);
  const secrets = new SecretGuard(printer, confirm, await saveAndReadIgnoredSecretHashes(io.env, flags.ignore));
  const changed = new ChangedFileReader({
    state,
    stored,
    secrets,
    stdin: io.stdin,
    category: flags.category,
    signal,
  });
  const importer = new Importer(store, {
    ...printer.createImporterCallbacks(() => undefined),
    isOriginOfOtherSource: (key) => state.hasImportedOrigin(key),
    digest: computeSha256Base64,
  });
  try {
    const records = changed.streamChangedAndCollectFailures(sources);
    await importer.importRecords(flags.allowSecrets ? records : secrets.streamRecordsAndConfirmSecrets(records));
    changed.recordImportsInState(changed.changed > 0 ? await readImportedStatesByOrigin(store) : stored);
    await saveSyncStateOrWarn(state, io);
  } catch (error) {
    throw toErrorWithLockHolder(error, store.location);
  } finally {
    const { files, changed: read } = changed;
    if (read > 0 || !flags.watch)
      printer.printReport(
        importer.report,
        `${formatInteger(read)} changed ${read === 1 ? 'file' : 'files'} of ${formatInteger(files)}`,
      );
  }
  for (const failure of changed.failures) printer.printMultilineNotice(failure);
  const { bad, left, withheld } = importer.report;
  return bad + left + withheld + changed.failures.length > 0 ? 1 : 0;
}

/** Ignores errors: the notes are stored anyway. */
async function saveSyncStateOrWarn(state: SyncState, io: Io): Promise<void> {
  try {
    await state.save();
  } catch (error) {
    io.stderr.write(
      `notes: The next sync reads the same files again: ${toPrintableLine(formatFileErrorClause(error))}\n`,
    );
  }
}

/** What the store last imported from sources, by keys of origins. */
async function readImportedStatesByOrigin(
  store: Pick<PortableStore, 'readOriginsPage'>,
): Promise<ReadonlyMap<string, string>> {
  const importedStates = new Map<string, string>();
  for await (const some of streamOriginBatches(store)) for (const one of some) importedStates.set(one.key, one.taken);
  return importedStates;
}

export interface SyncFlags extends SourceFlags {
  readonly watch?: boolean;
  /** In seconds. */
  readonly every: number;
}
