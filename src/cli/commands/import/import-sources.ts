import { Importer } from '../../../formats/importer.ts';
import { type ExitCode, toExitCode } from '../../exit-code.ts';
import { awaitWithGracePeriod, interceptStopSignals } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { addLockHolder, openNotesForDryRun, openOrCreateNotes } from '../../notes/open-notes.ts';
import { DryRunStore, hashText } from './dry-run-store.ts';
import { addAndReadIgnoredSecrets } from './ignored-secrets.ts';
import { ImportPrinter } from './import-printer.ts';
import { NamedSources } from './named-sources.ts';
import { createSecretConfirmation, SecretGuard } from './secret-guard.ts';
import type { ImportFlags } from './source-flags.ts';

/** Merges the notes in files, folders or standard input into the store and prints a report. */
export async function importSources(paths: readonly string[], flags: ImportFlags, io: Io): Promise<ExitCode> {
  const signal = interceptStopSignals(io);
  const sources = new NamedSources(paths, { flags, stdin: io.stdin, signal });
  using printer = new ImportPrinter(io, flags);
  if (!(await sources.openNext())) {
    for (const { message } of sources.failures) printer.printLines(message);
    return toExitCode(sources.failures[0]);
  }
  const open = flags.dryRun ? openNotesForDryRun : openOrCreateNotes;
  await using store = await open(io, flags);
  const ignored = await addAndReadIgnoredSecrets(io.env, flags.ignore, flags.dryRun);
  const guard = new SecretGuard(printer, flags.dryRun ? undefined : createSecretConfirmation(io, printer), ignored);
  const addedIds: number[] = [];
  const importer = new Importer(flags.dryRun ? new DryRunStore(store) : store, {
    ...printer.createImporterEvents(() => sources.getReadFraction()),
    ...(!flags.dryRun && { onAdded: (id) => addedIds.push(id) }),
    digest: hashText,
  });
  let isWhole = false;
  const run = async () => {
    try {
      await importer.importRecords(
        flags.allowSecrets ? sources.readRecords() : guard.filterRecords(sources.readRecords()),
      );
      isWhole = true;
    } catch (error) {
      throw addLockHolder(error, store.location);
    }
  };
  try {
    await awaitWithGracePeriod(run(), signal, io, (sentence) => printer.print(sentence));
  } finally {
    const { read, bad, leftOut, withheld } = importer.report;
    const isUnderstood = isWhole || signal.aborted || read + bad + leftOut + withheld > 0;
    if (isUnderstood) printer.printReport(importer.report, sources.formatNames());
    printer.printAdded(addedIds, flags);
  }
  for (const { message } of sources.failures) printer.printLines(message);
  for (const sentence of sources.empty) printer.print(sentence);
  const { bad, left, withheld } = importer.report;
  return sources.failures.length + sources.empty.length + bad + left + withheld > 0 ? 1 : 0;
}
