import type { Command } from 'commander';
import { counted } from '../../core/tools/text.ts';
import { Failures } from '../failures.ts';
import { withExamples } from '../help.ts';
import type { AddCommand, Io, Run } from '../io.ts';
import { mayChange } from '../notes/confirm.ts';
import { givenIds, notesWith } from '../notes/ids.ts';
import { type NoteFlags, withStoreOptions } from '../notes/store-options.ts';
import { writeEach } from '../notes/write-each.ts';

export const addArchive: AddCommand = (program, io, run) => {
  const command = program
    .command('archive <ids...>')
    .summary('archive notes, instead of deleting them')
    .description(
      'archive notes instead of deleting them; of a range such as 5-9, or of ids on standard input (-), ' +
        'it shows the notes first',
    );
  withExamples(command, [
    ['notes archive 12 20-31', ''],
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
        const { parseId } = await import('../../core/parse.ts');
        const failures = new Failures(io);
        let ids = await givenIds(given, io);
        if (given.some((one) => one.includes('-')) && !flags.yes) {
          const found = notesWith(ids, { flags, failures, io });
          const notes = await Array.fromAsync(found, ({ id, title }) => ({ id, title })); // texts may be long
          if (!(await mayChange(notes, `${what} ${counted(notes.length)}`, io))) return 1;
          ids = notes.map(({ id }) => `${id}`);
        }
        await writeEach(ids, async (id, store) => store.setArchived(parseId(id), archived), {
          done,
          flags,
          failures,
          io,
        });
        return failures.exitCode;
      }),
    );
}
