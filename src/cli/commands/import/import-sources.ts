import type { PortableStore } from '../../../core/store.ts';
import type { ImportReport } from '../../../formats/import-report.ts';
import { ImportedPins } from '../../../formats/imported-pins.ts';
import { Importer } from '../../../formats/importer.ts';
import type { ReadRecord } from '../../../formats/record.ts';
import { type ExitCode, toExitCode } from '../../exit-code.ts';
import { awaitWithGracePeriodAfterAbort, interceptStopsAsAbortSignal } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openNoteStoreOrEmpty, openOrCreateNoteStore, toErrorWithLockHolder } from '../../notes/open-note-store.ts';
import { computeSha256Base64, DryRunStore } from './dry-run-store.ts';
import { saveAndReadIgnoredSecretHashes } from './ignored-secrets.ts';
import { ImportPrinter } from './import-printer.ts';
import { NamedSources } from './named-sources.ts';
import { createSecretConfirmationIfInteractive, SecretGuard } from './secret-guard.ts';
import type { ImportFlags } from './source-flags.ts';

/** Merges the notes in files, folders or standard input into the store and prints a report. */
export async function importSourcesAndPrintReport(
  paths: readonly string[],
  flags: ImportFlags,
  io: Io,
): Promise<ExitCode> {
  const signal = interceptStopsAsAbortSignal(io);
  const sources = new NamedSources(paths, { flags, stdin: io.stdin, signal });
  using printer = new ImportPrinter(io, flags);
  if (!(await sources.openNextReadableIfAny())) {
    for (const { message } of sources.failures) printer.printMultilineNotice(message);
    return toExitCode(sources.failures[0]);
  }
  const open = flags.dryRun ? openNoteStoreOrEmpty : openOrCreateNoteStore;
  await using store = await open(io, flags);
  const guard = await saveIgnoredAndCreateSecretGuard(io, flags, printer);
  const addedIds: number[] = [];
  const pins = new ImportedPins();
  const importer = new Importer(flags.dryRun ? new DryRunStore(store) : store, {
    ...printer.createImporterCallbacks(() => sources.findReadFraction()),
    ...(!flags.dryRun && { onAdded: (id) => addedIds.push(id) }),
    onPinned: pins.rememberPin,
    digest: computeSha256Base64,
  });
  const records = sources.streamRecordsFromCurrentOn();
  const checkedRecords = flags.allowSecrets ? records : guard.streamRecordsAndConfirmSecrets(records);
  const work = importRecordsAndPins(importer, checkedRecords, pins, store, flags.dryRun === true);
  let isEverythingImported = false;
  try {
    await awaitWithGracePeriodAfterAbort(work, signal, io, (sentence) => printer.printSentence(sentence));
    isEverythingImported = true;
  } finally {
    const { read, bad, leftOut, withheld } = importer.report;
    const isUnderstood = isEverythingImported || signal.aborted || read + bad + leftOut + withheld > 0;
    if (isUnderstood) printer.printReport(importer.report, sources.formatNamesAndFormats());
    printer.printCommandsToArchiveAdded(addedIds, flags);
  }
  for (const { message } of sources.failures) printer.printMultilineNotice(message);
  for (const sentence of sources.empty) printer.printSentence(sentence);
  return toImportExitCode(importer.report, sources);
}

async function importRecordsAndPins(
  importer: Importer,
  records: AsyncIterable<ReadRecord>,
  pins: ImportedPins,
  store: PortableStore,
  isDryRun: boolean,
): Promise<void> {
  try {
    await importer.importRecords(records);
    const { pinned, notPinned } = await pins.pinNotes(store, { isDryRun });
    importer.report.pinned = pinned;
    importer.report.notPinned = notPinned;
  } catch (error) {
    throw toErrorWithLockHolder(error, store.location);
  }
}

/** Returns 1 if anything that was to be imported is missing in the store now. */
function toImportExitCode({ bad, left, withheld }: ImportReport, { failures, empty }: NamedSources): ExitCode {
  return failures.length + empty.length + bad + left + withheld > 0 ? 1 : 0;
}

/** Creates a guard that asks about secrets, unless in a dry run or without a terminal: it then withholds them all. */
async function saveIgnoredAndCreateSecretGuard(
  io: Io,
  { ignore, dryRun }: ImportFlags,
  printer: ImportPrinter,
): Promise<SecretGuard> {
  const ignored = await saveAndReadIgnoredSecretHashes(io.env, ignore, dryRun);
  const confirm = dryRun ? undefined : createSecretConfirmationIfInteractive(io, printer);
  return new SecretGuard(printer, confirm, ignored);
}
