import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { type NoteFlags, withStoreOptions } from '../../notes/store-options.ts';

export const addUndo: AddCommand = (program, io, run) => {
  const command = program
    .command('undo')
    .summary('undo your last command')
    .description(
      'undo your last command that changed notes, as a whole: add, last, edit, archive, unarchive, revert, ' +
        'import or undo. Notes changed since then stay as they are',
    )
    .option('--yes', 'undo without asking')
    .option('--json', 'print the notes as JSON, one per line');
  withExamples(withStoreOptions(command), [
    ['notes undo', 'shows what it would do, and asks'],
    ['notes undo --yes', 'without a terminal'],
  ]).action(run(async (flags: NoteFlags) => (await import('./run.ts')).undo(flags, io)));
};
