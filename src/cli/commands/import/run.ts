import { Importer } from '../../../formats/importer.ts';
import type { ExitCode } from '../../exit-code.ts';
import { interruptionOf, untilLate } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openForDryRun, openOrCreateNotes, withHolder } from '../../notes/open.ts';
import type { ImportFlags } from './command.ts';
import { digest, dryRunOn } from './dry-run.ts';
import { openRecords } from './open-records.ts';
import { ImportPrinter } from './report.ts';
import { addIgnoredSecrets, createConfirmation, SecretGuard } from './secret-guard.ts';

/** Merges the notes in a file, a folder or standard input into the store and prints a report. */
export async function importFrom(path: string, flags: ImportFlags, io: Io): Promise<ExitCode> {
  const signal = interruptionOf(io);
  const { source, format, isFolder, part, records } = await openRecords(path, flags, io.stdin, signal);
  const open = flags.dryRun ? openForDryRun : openOrCreateNotes;
  await using store = await open(io, flags);
  using printer = new ImportPrinter(io, flags);
  const ignored = await addIgnoredSecrets(io.env, flags.ignore, flags.dryRun);
  const guard = new SecretGuard(printer, flags.dryRun ? undefined : createConfirmation(io, printer), ignored);
  const addedIds: number[] = [];
  const importer = new Importer(flags.dryRun ? dryRunOn(store) : store, {
    ...printer.events(part),
    ...(!flags.dryRun && { onAdded: (id) => addedIds.push(id) }),
    digest,
  });
  let isWhole = false;
  const run = async () => {
    try {
      await importer.run(flags.allowSecrets ? records : guard.filter(records));
      isWhole = true;
    } catch (error) {
      throw withHolder(error, store.location);
    }
  };
  try {
    await untilLate(run(), signal, io, (sentence) => printer.print(sentence));
  } finally {
    const { read, bad, leftOut, withheld } = importer.report;
    const isUnderstood = isWhole || signal.aborted || read + bad + leftOut + withheld > 0;
    if (isUnderstood) printer.printReport(importer.report, `${source.name} (${format.name})`);
    printer.printAdded(addedIds, flags);
  }
  const { read, bad, left, leftOut, withheld } = importer.report;
  const holdsNone = read + bad + withheld === 0 && (isFolder || leftOut > 0);
  if (holdsNone)
    printer.print(`${source.name} holds no notes${format.name === 'mixed' ? '' : ` in the format ${format.name}`}`);
  return holdsNone || bad + left + withheld > 0 ? 1 : 0;
}
