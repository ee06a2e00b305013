import type { Command } from 'commander';
import { counted } from '../../shared/text.ts';
import type { ExitCode } from '../exit-code.ts';
import { withExamples } from '../help.ts';
import { interruptionOf, unlessAborted } from '../interruption.ts';
import type { AddCommand, Io, Run } from '../io.ts';
import { openRecorded } from '../journal/open-recorded.ts';
import type { RecordedNotes } from '../journal/recorded-notes.ts';
import { Failures } from '../notes/failures.ts';
import { givenIds, notesWith } from '../notes/ids.ts';
import { openNotes } from '../notes/open.ts';
import { mayChange } from '../notes/preview.ts';
import { printResult } from '../notes/print.ts';
import { type StoreOptions, withStoreOptions } from '../notes/store-options.ts';

interface ArchiveFlags extends StoreOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const addArchive: AddCommand = (program, io, run) => {
  const command = program
    .command('archive <ids...>')
    .summary('archive notes, instead of deleting them')
    .description(
      'archive notes instead of deleting them; - reads the ids from standard input, and shows the notes first',
    );
  withExamples(command, [
    ['notes archive 12 13', ''],
    ['notes list -c css draft | notes archive -', 'all listed notes, also with --json'],
  ]);
  addAction(command, true, { io, run });
};

export const addUnarchive: AddCommand = (program, io, run) => {
  const command = program
    .command('unarchive <ids...>')
    .summary('bring archived notes back')
    .description('bring archived notes back; - reads the ids from standard input, and shows the notes first');
  withExamples(command, [['notes unarchive 12', '']]);
  addAction(command, false, { io, run });
};

function addAction(command: Command, archived: boolean, { io, run }: { io: Io; run: Run }): void {
  withStoreOptions(command)
    .option('--yes', 'do not ask before changing a list')
    .option('--json', 'print the notes as JSON, one per line')
    .action(
      run(async (given: string[], flags: ArchiveFlags) => {
        const failures = new Failures(io);
        const meant = await givenIds(given, io);
        const isShown = given.includes('-') && !flags.yes;
        const ids = isShown ? await agreedIds(meant, { archived, failures, flags, io }) : meant;
        if (ids === undefined) return 1;
        io.ignoreClosedOutput();
        const signal = interruptionOf(io);
        await using notes = await openRecorded(io, flags, { command: command.name() });
        return await setAll(ids, { notes, archived, failures, json: flags.json, io, signal });
      }),
    );
}

interface Question {
  readonly archived: boolean;
  readonly failures: Failures;
  readonly flags: ArchiveFlags;
  readonly io: Io;
}

/** Shows the notes and returns their ids, without missing ones; undefined if the user declines. */
async function agreedIds(
  ids: readonly string[],
  { archived, failures, flags, io }: Question,
): Promise<readonly string[] | undefined> {
  const notes = await readNotes(ids, { flags, failures, io });
  const what = `${archived ? 'Archive' : 'Bring back'} ${counted(notes.length)}`;
  return (await mayChange(notes, { what, yes: false, io })) ? notes.map(({ id }) => `${id}`) : undefined;
}

/** Closes the store before the user is asked. */
async function readNotes(ids: readonly string[], { flags, failures, io }: Omit<Question, 'archived'>) {
  await using store = await openNotes(io, flags);
  return await notesWith(ids, store, failures);
}

interface Setting {
  readonly notes: RecordedNotes;
  readonly archived: boolean;
  readonly failures: Failures;
  readonly json: boolean | undefined;
  readonly io: Io;
  readonly signal: AbortSignal;
}

/** Archives or unarchives notes and returns the exit code of the first failure; the others are still changed. */
async function setAll(
  ids: readonly string[],
  { notes, archived, failures, json, io, signal }: Setting,
): Promise<ExitCode> {
  const { parseId } = await import('../../domain/parse.ts');
  let done = 0;
  const set = async (id: string) => notes.setArchived(await notes.store.get(parseId(id)), archived);
  for (const id of ids) {
    const note = await failures.orReport(() => unlessAborted(set(id), signal));
    if (note === undefined) continue;
    done++;
    await printResult(note, archived ? 'Archived' : 'Brought back', { json, io });
  }
  if (io.stdout.isTTY && !json && done > 1) io.stdout.write('"notes undo" reverses all of this\n');
  return failures.exitCode;
}
