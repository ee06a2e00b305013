import type { Command } from 'commander';
import { counted } from '../../shared/text.ts';
import { Failures } from '../failures.ts';
import { withExamples } from '../help.ts';
import type { AddCommand, Io, Run } from '../io.ts';
import { writeEach } from '../journal/write-each.ts';
import { mayChange } from '../notes/confirm.ts';
import { givenIds, notesWith } from '../notes/ids.ts';
import { type NoteFlags, withStoreOptions } from '../notes/store-options.ts';

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
  const [what, done] = archived ? ['Archive', 'Archived'] : ['Bring back', 'Brought back'];
  withStoreOptions(command)
    .option('--yes', 'do not ask before changing a list')
    .option('--json', 'print the notes as JSON, one per line')
    .action(
      run(async (given: string[], flags: NoteFlags) => {
        const { parseId } = await import('../../domain/parse.ts');
        const failures = new Failures(io);
        let ids = await givenIds(given, io);
        if (given.includes('-') && !flags.yes) {
          const notes = await notesWith(ids, { flags, failures, io });
          if (!(await mayChange(notes, `${what} ${counted(notes.length)}`, io))) return 1;
          ids = notes.map(({ id }) => `${id}`);
        }
        const changed = await writeEach(
          ids,
          async (id, notes) => notes.setArchived(await notes.store.get(parseId(id)), archived),
          { command: command.name(), done, flags, failures, io },
        );
        if (io.stdout.isTTY && !flags.json && changed > 1) io.stdout.write('"notes undo" reverses all of this\n');
        return failures.exitCode;
      }),
    );
}
