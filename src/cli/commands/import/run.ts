import type { PortableNote } from '../../../core/note.ts';
import type { PortableStore } from '../../../core/store.ts';
import { Importer } from '../../../formats/importer.ts';
import { originsIn, withOrigins } from '../../../formats/origin.ts';
import type { ExitCode } from '../../exit-code.ts';
import { interruptionOf, untilLate } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openForDryRun, openOrCreateNotes, withHolder } from '../../notes/open.ts';
import type { ImportFlags } from './command.ts';
import { digest, dryRunOn } from './dry-run.ts';
import { askerOf, ImportPrinter, ignoredSecrets, SecretGuard } from './report.ts';
import { openRecords } from './source.ts';

/** Merges the notes in a file, a folder or standard input into the store and prints a report. */
export async function importFrom(path: string, flags: ImportFlags, io: Io): Promise<ExitCode> {
  const signal = interruptionOf(io);
  const { source, format, isFolder, part, records } = await openRecords(path, flags, io.stdin, signal);
  const open = flags.dryRun ? openForDryRun : openOrCreateNotes;
  await using store = await open(io, flags);
  using printer = new ImportPrinter(io, flags);
  const ignored = await ignoredSecrets(io.env, flags.ignore, flags.dryRun);
  const guard = new SecretGuard(printer, flags.dryRun ? undefined : askerOf(io, printer), ignored);
  const added = new AddedNotes();
  const importer = new Importer(flags.dryRun ? dryRunOn(store) : store, {
    ...printer.events(part),
    ...(!flags.dryRun && { onAdded: added.add }),
    digest,
  });
  let isWhole = false;
  let addedIds: readonly number[] = [];
  const run = async () => {
    try {
      await importer.run(flags.allowSecrets ? records : guard.passed(records));
      isWhole = true;
    } catch (error) {
      throw withHolder(error, store.location);
    } finally {
      addedIds = await added.idsIn(store).catch(() => []); // an error that ends the import is reported
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
  const { read, bad, left, withheld } = importer.report;
  const holdsNone = isFolder && read + bad + withheld === 0;
  if (holdsNone) printer.print(`${source.name} holds no notes in the format ${format.name}`);
  return holdsNone || bad + left + withheld > 0 ? 1 : 0;
}

/** Remembers what is added. Merging does not tell the new ids of notes, so they are looked up. */
class AddedNotes {
  readonly #ids = new Set<number>();
  /** Of notes added without id: digest, and origin, which they keep when a later record updates them. */
  readonly #keys = new Set<string>();

  readonly add = (note: PortableNote): void => {
    if (note.id !== undefined) this.#ids.add(note.id);
    else for (const key of keysOf(note)) this.#keys.add(key);
  };

  /** Reads the whole store if any note was added without id. */
  async idsIn(store: PortableStore): Promise<readonly number[]> {
    const ids = new Set(this.#ids);
    if (this.#keys.size > 0) {
      for await (const notes of withOrigins(store.scan(), originsIn(store)))
        for (const note of notes) if (keysOf(note).some((key) => this.#keys.has(key))) ids.add(note.id);
    }
    return [...ids];
  }
}

function keysOf({ title, content, category, createdAt, updatedAt, origin }: PortableNote): readonly string[] {
  const key = digest(JSON.stringify([title, content, category, createdAt, updatedAt]));
  return origin === undefined ? [key] : [key, origin.key];
}
