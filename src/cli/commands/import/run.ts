import { ConfigError } from '../../../config.ts';
import { NoteError } from '../../../domain/error.ts';
import { formatOf, formats } from '../../../formats/formats.ts';
import type { Format, ReadRecord } from '../../../formats/record.ts';
import type { ExitCode } from '../../exit-code.ts';
import { interruptionOf } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { openNotes, openOrCreateNotes, type Place } from '../../notes/open.ts';
import { count, counted, ProgressLine } from '../../terminal/progress.ts';
import { printable } from '../../terminal/style.ts';
import { Import, type ImportSum } from './importer.ts';
import { type OpenSource, openSource } from './source.ts';

export interface ImportFlags extends Place {
  readonly format?: string;
  readonly dryRun?: boolean;
  readonly onError: 'stop' | 'continue';
  readonly newIds?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Merges what a file, a folder or standard input holds into the notes, and tells what became of it. */
export async function importFrom(path: string, flags: ImportFlags, io: Io): Promise<ExitCode> {
  const forced = flags.format === undefined ? undefined : formatNamed(flags.format);
  const signal = interruptionOf(io);
  const opened = await openSource(path, io.stdin, signal);
  const format = forced ?? recognized(opened);
  await using store = await (flags.dryRun ? openNotes : openOrCreateNotes)(io, flags);
  using line = new ProgressLine(io.stderr);
  const teller = new Teller(io, line, flags.verbose === true);
  const merging = new Import(store, {
    isRehearsal: flags.dryRun === true,
    newIds: flags.newIds === true,
    stopsAtBad: flags.onError === 'stop',
    onNoNote: (record) => teller.tell(record),
    onBatch: ({ read }) => line.show({ step: 'Importing', notes: read, part: opened.part() }),
  });
  try {
    const isWhole = await Promise.race([merging.run(recordsIn(opened, format, signal)), long(signal)]);
    if (!isWhole) teller.say('Stopped there. What came before it was imported');
  } finally {
    line.clear();
    teller.sumUp(merging.sum, { flags, from: `${opened.source.name} (${format.name})` });
  }
  const { bad, different } = merging.sum;
  return bad + different > 0 ? 1 : 0;
}

function formatNamed(name: string): Format {
  const format = formats.find((known) => known.name === name);
  if (format) return format;
  throw new ConfigError(`--format must be one of ${formats.map((known) => known.name).join(', ')}, not "${name}"`);
}

function recognized({ source, head }: OpenSource): Format {
  const format = formatOf(source, head);
  if (format) return format;
  const list = formats.map(({ name, description }) => `  ${name.padEnd(12)} ${description}`).join('\n');
  const text = `${source.name} is in no known format. Name the right one with --format if it is one of these:\n${list}`;
  throw new NoteError('invalid', text);
}

/** How long a batch that is being merged is waited for, in ms, when the command is told to stop. */
const patienceMs = 3_000;

/** Throws the reason of a signal, some time after it is aborted. */
async function long(signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  await Bun.sleep(patienceMs);
  throw signal.reason;
}

/** All that a source holds. What ends the reading is told as what is wrong with the whole. */
async function* recordsIn(
  { source, links, unreadable }: OpenSource,
  format: Format,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord, void, void> {
  for (const place of links) yield { kind: 'left out', place, reason: 'It is a link, and links are not followed' };
  for (const folder of unreadable) yield { kind: 'bad', ...folder };
  try {
    for await (const record of format.read(source)) {
      signal.throwIfAborted();
      yield record;
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof NoteError)) throw error;
    yield { kind: 'bad', place: source.name, reason: error.message };
  }
}

const mostTold = 20;

/** Talks about an import. What comes from the file is made fit for a terminal. */
class Teller {
  readonly #io: Io;
  readonly #line: ProgressLine;
  readonly #isVerbose: boolean;
  #bad = 0;

  constructor(io: Io, line: ProgressLine, isVerbose: boolean) {
    this.#io = io;
    this.#line = line;
    this.#isVerbose = isVerbose;
  }

  say(sentence: string): void {
    this.#line.clear();
    this.#io.stderr.write(`notes: ${printable(sentence)}\n`);
  }

  tell({ kind, place, reason }: Exclude<ReadRecord, { kind: 'note' }>): void {
    const isTold = this.#isVerbose || (kind === 'bad' && ++this.#bad <= mostTold);
    if (isTold) this.say(kind === 'bad' ? `${place}: ${reason}` : `${place} was left out: ${reason}`);
  }

  sumUp(sum: ImportSum, { flags, from }: { flags: ImportFlags; from: string }): void {
    const { stdout, stderr } = this.#io;
    const isRehearsal = flags.dryRun === true;
    if (this.#bad > mostTold) this.say(`… and ${count(this.#bad - mostTold)} more. --verbose tells all`);
    const lines = [
      `Read ${counted(sum.read)} from ${printable(from)}${isRehearsal ? '. Nothing was changed; this is what would become of them' : ''}:`,
      ...outcomesOf(sum, flags),
    ];
    stderr.write(`${lines.join('\n')}\n`);
    if (flags.json) stdout.write(`${JSON.stringify({ isRehearsal, ...sum })}\n`);
  }
}

function outcomesOf(sum: ImportSum, flags: ImportFlags): readonly string[] {
  const lines: readonly (readonly [number: number, text: string])[] = [
    [sum.added, 'added'],
    [
      sum.renumbered,
      `of them under a new id, since another note has theirs: ${listOf(sum.renumberedIds, sum.renumbered)}`,
    ],
    [sum.replaced, `replaced, since what was there was older: ${listOf(sum.replacedIds, sum.replaced)}`],
    [sum.unchanged, 'there already'],
    [sum.newer, 'not taken, since what is there is newer'],
    [
      sum.different,
      `not taken, since another text has the same updatedAt (raise it there to have them taken): ${listOf(sum.differentIds, sum.different)}`,
    ],
    [sum.bad, 'bad, named above'],
    [sum.leftOut, flags.verbose ? 'left out' : 'left out (--verbose names them)'],
  ];
  const shown = lines.filter(([number]) => number > 0);
  return shown.map(([number, text]) => `  ${count(number)} ${text}`);
}

function listOf(ids: readonly number[], all: number): string {
  const shown = ids.slice(0, mostTold);
  return `${shown.join(', ')}${all > shown.length ? ` and ${count(all - shown.length)} more` : ''}`;
}
