import type { Command } from 'commander';
import type { ExitCode } from '../exit-code.ts';
import { withExamples } from '../help.ts';
import { interruptionOf, unlessAborted } from '../interruption.ts';
import type { AddCommand, Io, Run } from '../io.ts';
import { openRecorded } from '../journal/open-recorded.ts';
import type { RecordedNotes } from '../journal/recorded-notes.ts';
import { Failures } from '../notes/failures.ts';
import { givenIds } from '../notes/ids.ts';
import { printResult } from '../notes/print.ts';
import { type StoreOptions, withStoreOptions } from '../notes/store-options.ts';

interface ArchiveFlags extends StoreOptions {
  readonly json?: boolean;
}

export const addArchive: AddCommand = (program, io, run) => {
  const command = program
    .command('archive <ids...>')
    .summary('put notes away, which is how they are deleted')
    .description('put notes away, which is how they are deleted here; - reads the ids from standard input');
  withExamples(command, [
    ['notes archive 12 13', ''],
    ['notes list -c css draft | notes archive -', 'all that are listed, also with --json'],
  ]);
  addAction(command, true, { io, run });
};

export const addUnarchive: AddCommand = (program, io, run) => {
  const command = program
    .command('unarchive <ids...>')
    .summary('bring archived notes back')
    .description('bring archived notes back');
  withExamples(command, [['notes unarchive 12', '']]);
  addAction(command, false, { io, run });
};

function addAction(command: Command, archived: boolean, { io, run }: { io: Io; run: Run }): void {
  withStoreOptions(command)
    .option('--json', 'print the notes as JSON, a line each')
    .action(
      run(async (given: string[], flags: ArchiveFlags) => {
        const ids = await givenIds(given, io);
        io.ignoreClosedOutput();
        const signal = interruptionOf(io);
        await using notes = await openRecorded(io, flags, { command: command.name() });
        return await setAll(ids, { notes, archived, json: flags.json, io, signal });
      }),
    );
}

interface Setting {
  readonly notes: RecordedNotes;
  readonly archived: boolean;
  readonly json: boolean | undefined;
  readonly io: Io;
  readonly signal: AbortSignal;
}

/**
 * One note that fails does not keep the others from it; returns the exit code of the first failure. Nobody is asked about a
 * list that is piped in: scripts do that, and archiving loses nothing that one `notes undo` would not bring back.
 */
async function setAll(ids: readonly string[], { notes, archived, json, io, signal }: Setting): Promise<ExitCode> {
  const { parseId } = await import('../../domain/parse.ts');
  const failures = new Failures(io);
  let done = 0;
  const set = async (id: string) => notes.setArchived(await notes.store.get(parseId(id)), archived);
  for (const id of ids) {
    const note = await failures.orTold(() => unlessAborted(set(id), signal));
    if (note === undefined) continue;
    done++;
    await printResult(note, archived ? 'Archived' : 'Brought back', { json, io });
  }
  if (io.stdout.isTTY && !json && done > 1) io.stdout.write('"notes undo" takes all of this back\n');
  return failures.exitCode;
}
