import { readConfigAndWarn, selectStoreVariables } from '../../../config/config.ts';
import { prependExamplesToHelp } from '../../flags.ts';
import type { RegisterCommand } from '../../io.ts';
import type { Route } from './migrate-route.ts';

export const registerMigrateCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('migrate')
    .summary('move all notes to another, empty database')
    .description(
      'move all notes to another, empty database; the first database keeps them too. ' +
        'After an interruption, run it again to resume. ' +
        'Put an address with a password in the variable: the list of processes shows flags.',
    );
  prependExamplesToHelp(command, [
    ['notes migrate --from notes.db --to /srv/notes.db', ''],
    ['MIGRATE_TO=postgres://notes:secret@db.example/notes notes migrate --from notes.db', ''],
  ]);
  command
    .option('--from <database>', 'the one that holds the notes: a file, or any value of DATABASE_URL (MIGRATE_FROM)')
    .option('--to <database>', 'the one to move them to: empty, or with some of them (MIGRATE_TO)')
    .option('--json', 'print what was moved as JSON');
  command.action(
    run(async ({ json = false, ...options }: Partial<Record<keyof Route, string>> & { json?: boolean }) => {
      const { readMigrationRoute } = await import('./migrate-route.ts');
      const { migrateAndPrintResult } = await import('./migrate-and-print-result.ts');
      const route = readMigrationRoute(io.env, options);
      await migrateAndPrintResult(route, readConfigAndWarn(selectStoreVariables(io.env)), { io, json });
    }),
  );
};
