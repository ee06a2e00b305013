import type { Command } from 'commander';
import { NoteError } from '../../domain/error.ts';
import type { NoteStore } from '../../domain/store.ts';
import { type ExitCode, exitCodeFor } from '../exit-code.ts';
import { withExamples } from '../help.ts';
import type { AddCommand, Io, Run } from '../io.ts';
import { bytesOf } from '../notes/content.ts';
import { openNotes } from '../notes/open.ts';
import { printResult } from '../notes/print.ts';
import { type StoreOptions, withStoreOptions } from '../notes/store-options.ts';
import { printable } from '../terminal/style.ts';

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
        const ids = await idsOf(given, io);
        io.ignoreClosedOutput();
        await using store = await openNotes(io, flags);
        return await setAll(ids, { store, archived, json: flags.json, io });
      }),
    );
}

/** With those of standard input in the place of `-`. Throws `invalid`. */
async function idsOf(given: readonly string[], { stdin }: Io): Promise<readonly string[]> {
  const { idsIn, refuseOtherThanIds } = await import('../notes/ids.ts');
  const piped = given.includes('-') ? idsIn((await bytesOf(stdin)).toString()) : [];
  const ids = given.flatMap((id) => (id === '-' ? piped : id));
  refuseOtherThanIds(ids);
  return ids;
}

interface Setting {
  readonly store: NoteStore;
  readonly archived: boolean;
  readonly json: boolean | undefined;
  readonly io: Io;
}

/** One note that fails does not keep the others from it; returns the exit code of the first failure. */
async function setAll(ids: readonly string[], { store, archived, json, io }: Setting): Promise<ExitCode> {
  const { parseId } = await import('../../domain/parse.ts');
  let exitCode: ExitCode = 0;
  for (const id of ids) {
    try {
      await printResult(await store.setArchived(parseId(id), archived), archived ? 'Archived' : 'Brought back', {
        json,
        io,
      });
    } catch (error) {
      if (!(error instanceof NoteError) || error.code === 'unreachable' || error.code === 'unavailable') throw error;
      io.stderr.write(`notes: ${printable(error.message)}\n`);
      exitCode ||= exitCodeFor(error);
    }
  }
  return exitCode;
}
