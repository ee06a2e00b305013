import { readConfig, selectStoreVariables } from '../../../config.ts';
import { addExamples } from '../../flags.ts';
import type { DefineCommand } from '../../io.ts';
import type { Route } from './migrate-route.ts';

export const defineMigrateCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('migrate')
    .summary('move all notes to another, empty database')
    .description(
      'move all notes to another, empty database; the first database keeps them too. ' +
        'After an interruption, run it again to resume. ' +
        'Put an address with a password in the variable: the list of processes shows flags.',
    );
  addExamples(command, [
    ['notes migrate --from notes.db --to /srv/notes.db', ''],
    ['MIGRATE_TO=postgres://notes:secret@db.example/notes notes migrate --from notes.db', ''],
  ]);
  command
    .option('--from <database>', 'the one that holds the notes: a file, or any value of DATABASE_URL (MIGRATE_FROM)')
    .option('--to <database>', 'the one to move them to: empty, or with some of them (MIGRATE_TO)')
    .option('--json', 'print what was moved as JSON');
  command.action(
    run(async ({ json = false, ...options }: Partial<Record<keyof Route, string>> & { json?: boolean }) => {
      const { readRoute } = await import('./migrate-route.ts');
      const { transferNotes } = await import('./transfer-notes.ts');
      const route = readRoute(io.env, options);
      await transferNotes(route, readConfig(selectStoreVariables(io.env)), { io, json });
    }),
  );
};
