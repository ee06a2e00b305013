import { readConfig, storeEnvironment } from '../../../config.ts';
import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { routeSettings } from './endpoints.ts';
import type { Route } from './transfer.ts';

export const addMigrate: AddCommand = (program, io, run) => {
  const command = program
    .command('migrate')
    .summary('move all notes to another, empty store')
    .description(
      'move all notes to another, empty store; the first store keeps them too. ' +
        'After an interruption, run it again to resume. ' +
        'Put an address with a password in the variable: the list of processes shows flags.',
    );
  withExamples(command, [
    ['notes migrate --from notes.db --to /srv/notes.db', ''],
    ['MIGRATE_TO=postgres://notes:secret@db.example/notes notes migrate --from notes.db', ''],
  ]);
  for (const { flag, help, variable } of Object.values(routeSettings)) command.option(flag, `${help} (${variable})`);
  command.option('--json', 'print what was moved as JSON');
  command.action(
    run(async ({ json = false, ...options }: Partial<Record<keyof Route, string>> & { json?: boolean }) => {
      const { readRoute, transferNotes } = await import('./transfer.ts');
      const route = readRoute(io.env, options);
      await transferNotes(route, readConfig(storeEnvironment(io.env)), { io, json });
    }),
  );
};
