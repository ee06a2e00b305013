import { Importer } from '../../../formats/importer.ts';
import type { ExitCode } from '../../exit-code.ts';
import { interruptionOf, throwLater } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openForDryRun, openOrCreateNotes } from '../../notes/open.ts';
import type { ImportFlags } from './command.ts';
import { ImportPrinter } from './print.ts';
import { askerOf, ignoredSecrets, SecretGuard } from './secrets.ts';
import { openRecords } from './source.ts';
import { AddedNotes, digest, dryRunOn } from './targets.ts';

/** Merges the notes in a file, a folder or standard input into the store and prints a report. */
export async function importFrom(path: string, flags: ImportFlags, io: Io): Promise<ExitCode> {
  const signal = interruptionOf(io);
  const { source, format, isFolder, part, records } = await openRecords(path, flags, io.stdin, signal);
  const open = flags.dryRun ? openForDryRun : openOrCreateNotes;
  await using store = await open(io, flags);
  const added = new AddedNotes(store);
  using printer = new ImportPrinter(io, flags);
  const ignored = await ignoredSecrets(io.env, flags.ignore, flags.dryRun);
  const guard = new SecretGuard(printer, flags.dryRun ? undefined : askerOf(io, printer), ignored);
  const importer = new Importer(flags.dryRun ? dryRunOn(store) : added, {
    ...(!flags.allowSecrets && { guard }),
    ...printer.events(part),
    digest,
  });
  let isWhole = false;
  let addedIds: readonly number[] = [];
  const run = async () => {
    try {
      await importer.run(records);
      isWhole = true;
    } finally {
      addedIds = await added.ids().catch(() => []); // an error that ends the import is reported
    }
  };
  try {
    await Promise.race([run(), throwLater(signal, io, (sentence) => printer.print(sentence))]);
  } finally {
    const { read, bad, leftOut, withheld } = importer.report;
    const isUnderstood = isWhole || signal.aborted || read + bad + leftOut + withheld > 0;
    if (isUnderstood) printer.printReport(importer.report, `${source.name} (${format.name})`);
    printer.printAdded(addedIds, flags);
  }
  const { read, bad, left, withheld } = importer.report;
  const holdsNone = isFolder && read + bad + withheld === 0;
  if (holdsNone) printer.print(`${source.name} holds no notes in the format ${format.name}`);
  return holdsNone || bad + left + withheld > 0 ? 1 : 0;
}
