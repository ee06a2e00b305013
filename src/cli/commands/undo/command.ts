import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { withStoreOptions } from '../../notes/store-options.ts';
import type { UndoFlags } from './run.ts';

export const addUndo: AddCommand = (program, io, run) => {
  const command = program
    .command('undo')
    .summary('undo what your last command did')
    .description(
      'undo what your last command did to notes, as a whole: add, edit, archive, unarchive, revert, import or undo. What was changed since stays as it is',
    )
    .option('--yes', 'undo without asking')
    .option('--json', 'print the notes as JSON, a line each');
  withExamples(withStoreOptions(command), [
    ['notes undo', 'shows what it would do, and asks'],
    ['notes undo --yes', 'without a terminal'],
  ]).action(run(async (flags: UndoFlags) => (await import('./run.ts')).undo(flags, io)));
};
