import type { Note } from '../../core/note.ts';
import type { NoteStore } from '../../core/store.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addStoreFlags, parsePositiveInteger, prependExamplesToHelp } from '../flags.ts';
import { type Io, type RegisterCommand, writeWithBackpressure } from '../io.ts';
import { findOrPickNote } from '../notes/find-or-pick-note.ts';
import { NoteArgument } from '../notes/note-argument.ts';
import { openNoteStoreOrEmptyDefault } from '../notes/open-note-store.ts';
import type { VersionDiff } from '../notes/version-diff.ts';
import { encodePrintableJson } from '../terminal/printable-text.ts';
import { createStyleForOutput } from '../terminal/style.ts';

interface HistoryFlags extends NoteFlags {
  readonly diff?: boolean;
  readonly limit?: number;
}

export const registerHistoryCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('history')
    .addArgument(new NoteArgument('[words...]'))
    .summary('list the earlier versions of a note')
    .description(
      'list the earlier versions of a note, given by its id or by words in it: number, time, ' +
        'and what the next change did to it. 1 is the previous version',
    )
    .option('--diff', 'what each change did, as a unified diff')
    .option('-n, --limit <number>', 'show at most this many', parsePositiveInteger)
    .option('--json', 'as a JSON array');
  prependExamplesToHelp(addStoreFlags(command), [
    ['notes history 12', ''],
    ['notes history 12 --diff -n 1', 'what the last change did'],
    ['notes show 12 --version 2', 'the content as it was'],
  ]).action(
    run(async (words: string[], flags: HistoryFlags) => {
      const { id } = await findOrPickNote(words, { all: true }, { flags, io });
      await using store = await openNoteStoreOrEmptyDefault(io, flags);
      await printHistorySteps(streamHistorySteps(store, id, flags.limit), flags, io);
    }),
  );
};

/** A version and the change that replaced it. */
interface Step extends VersionDiff {
  readonly number: number;
}

/** Reads the versions of a note, each with the change that replaced it; the newest first. */
async function* streamHistorySteps(
  store: NoteStore,
  id: number,
  limit: number | undefined,
): AsyncGenerator<Step, void, void> {
  const { compareVersions } = await import('../notes/version-diff.ts');
  let after: Note = await store.get(id);
  let number = 0;
  for await (const some of store.history(id, limit)) {
    for (const before of some) {
      const next = number === 0 ? `note ${id}, now` : `note ${id}, version ${number}`;
      number++;
      yield { ...compareVersions(before, after, [`note ${id}, version ${number}`, next]), number };
      after = before;
    }
  }
}

async function printHistorySteps(all: AsyncIterable<Step>, flags: HistoryFlags, io: Io): Promise<void> {
  const { stdout, stderr } = io;
  const formatStep = await loadAndCreateStepFormatter(flags, io);
  let isEmpty = true;
  for await (const step of all) {
    isEmpty = false;
    await writeWithBackpressure(stdout, formatStep(step));
  }
  if (flags.json) stdout.write(isEmpty ? '[]\n' : ']\n');
  else if (isEmpty && stdout.isTTY) stderr.write('There is no earlier version\n');
}

/** Formats a step, the first one with what comes before all. */
type FormatStep = (step: Step) => string;

async function loadAndCreateStepFormatter({ json, diff }: HistoryFlags, io: Io): Promise<FormatStep> {
  if (json) return formatStepAsJsonArrayPart;
  if (diff) return loadAndCreateDiffFormatter(io);
  return io.stdout.isTTY ? loadAndCreateTableRowFormatter(io) : formatStepAsTsv;
}

const formatStepAsJsonArrayPart: FormatStep = ({ number, fields: changed, added, removed, before: note }) =>
  `${number === 1 ? '[' : ','}${encodePrintableJson({ version: number, changed, added, removed, note })}`;

const formatStepAsTsv: FormatStep = ({ number, before, fields, added, removed }) =>
  `${number}\t${before.updatedAt}\t${fields.join(',')}\t${added}\t${removed}\n`;

async function loadAndCreateTableRowFormatter({ stdout, env }: Io): Promise<FormatStep> {
  const { formatFieldAndLineChanges } = await import('../notes/version-diff.ts');
  const { formatLocalTime } = await import('../terminal/note-page.ts');
  const style = createStyleForOutput(stdout, env);
  return (step) => {
    const time = formatLocalTime(step.before.updatedAt);
    const heading = style.dim(`     ${'written'.padEnd(time.length)}  then changed\n`);
    const row = `${String(step.number).padStart(3)}  ${style.dim(time)}  ${formatFieldAndLineChanges(step, style)}\n`;
    return step.number === 1 ? heading + row : row;
  };
}

async function loadAndCreateDiffFormatter({ stdout, env }: Io): Promise<FormatStep> {
  const { formatColoredDiff, formatNonContentChangeLines } = await import('../notes/version-diff.ts');
  const show = { style: createStyleForOutput(stdout, env), isTerminal: stdout.isTTY === true };
  return (step) => {
    const others = formatNonContentChangeLines(step).map((other) => `${other}\n`);
    const { id, updatedAt } = step.before;
    const heading = show.style.dim(`Version ${step.number} of note ${id}, of ${updatedAt}, was then changed`);
    return `${step.number > 1 ? '\n' : ''}${heading}\n${others.join('')}${formatColoredDiff(step, show)}`;
  };
}
