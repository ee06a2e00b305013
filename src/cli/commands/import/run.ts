import { ConfigError } from '../../../config.ts';
import { invalid, NoteError } from '../../../core/error.ts';
import { code } from '../../../formats/code.ts';
import { formatOf, formats } from '../../../formats/formats.ts';
import { Importer } from '../../../formats/importer.ts';
import { markdown } from '../../../formats/markdown.ts';
import { bad, type Format, type ReadRecord } from '../../../formats/record.ts';
import type { ExitCode } from '../../exit-code.ts';
import { twoColumns } from '../../flags.ts';
import { interruptionOf, throwLater } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openForDryRun, openOrCreateNotes } from '../../notes/open.ts';
import type { ImportFlags } from './options.ts';
import { ImportPrinter } from './print.ts';
import { askerOf, ignoredSecrets, SecretGuard } from './secrets.ts';
import { type OpenSource, openSource } from './source.ts';
import { AddedNotes, digest, dryRunOn } from './targets.ts';
import { zipSignature } from './zip.ts';

/** Merges the notes in a file, a folder or standard input into the store and prints a report. */
export async function importFrom(path: string, flags: ImportFlags, io: Io): Promise<ExitCode> {
  const forced = formats.find(({ name }) => name === flags.format);
  const signal = interruptionOf(io);
  const opened = inCategory(await openSource(path, io.stdin, signal), flags.category);
  const isEmpty = opened.isFolder && opened.source.files.length === 0 && !opened.unreadable?.length;
  if (isEmpty) throw invalid(`${path} holds no files`);
  const format = takingCategory(forced ?? recognized(opened), flags.category);
  const open = flags.dryRun ? openForDryRun : openOrCreateNotes;
  await using store = await open(io, flags);
  const added = new AddedNotes(store);
  using printer = new ImportPrinter(io, flags);
  const ignored = ignoredSecrets(io.env, flags.ignore, flags.dryRun);
  const guard = new SecretGuard(printer, flags.dryRun ? undefined : askerOf(io, printer), ignored);
  const importer = new Importer(flags.dryRun ? dryRunOn(store) : added, {
    ...(!flags.allowSecrets && { guard }),
    ...printer.events(opened.part),
    digest,
  });
  let isWhole = false;
  let addedIds: readonly number[] = [];
  const run = async () => {
    try {
      await importer.run(recordsIn(opened, format, signal));
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
    if (isUnderstood) printer.printReport(importer.report, `${opened.source.name} (${format.name})`);
    printer.printAdded(addedIds, flags);
  }
  const { read, bad, left, withheld } = importer.report;
  const holdsNone = opened.isFolder && read + bad + withheld === 0;
  if (holdsNone) printer.print(`${opened.source.name} holds no notes in the format ${format.name}`);
  return holdsNone || bad + left + withheld > 0 ? 1 : 0;
}

/** Returns the source with a category for notes that specify none. */
export const inCategory = (opened: OpenSource, category: ImportFlags['category']): OpenSource =>
  category === undefined ? opened : { ...opened, source: { ...opened.source, category } };

/** Throws `ConfigError` if notes of the format have categories of their own. */
function takingCategory(format: Format, category: ImportFlags['category']): Format {
  if (category === undefined || [code, markdown].includes(format)) return format;
  throw new ConfigError(
    `--category is for files of code and Markdown. Notes in the format ${format.name} have their own`,
  );
}

/** Throws `invalid` for an unknown format. Files with a given category are code, which includes Markdown. */
export function recognized({ source, head }: OpenSource): Format {
  if (head.startsWith(zipSignature))
    throw invalid(`${source.name} is a .zip archive. Save it as a file, and import that`);
  const format = formatOf(source, head);
  if (source.category !== undefined && source.files.length > 0 && (format ?? markdown) === markdown) return code;
  if (format) return takingCategory(format, source.category);
  const heading = `${source.name} is in no known format. Add --format to "notes import" if it is one of these:`;
  const rows = formats.map(({ name, description }) => [name, description] as const);
  throw invalid(twoColumns(heading, rows).trimEnd());
}

/** Reads all records of a source. An error is reported as a bad record, or thrown if no record came before it. */
export async function* recordsIn(
  { source, links = [], unreadable = [], close }: OpenSource,
  format: Format,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord, void, void> {
  for (const location of links)
    yield { kind: 'left out', location, reason: 'It is a link, and links are not followed' };
  for (const folder of unreadable) yield { kind: 'bad', ...folder };
  let isUnderstood = false;
  try {
    for await (const record of format.read(source)) {
      signal.throwIfAborted();
      isUnderstood = true;
      yield record;
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof NoteError)) throw error;
    if (!isUnderstood)
      throw error.message.includes(source.name) ? error : error.reworded(`${source.name}: ${error.message}`);
    yield bad(source.name, error.message);
  } finally {
    close?.();
  }
}
