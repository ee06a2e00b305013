import { readConfig } from '../../config.ts';
import { withExamples } from '../help.ts';
import type { AddCommand } from '../io.ts';
import { addSettings, flagsOf } from '../setting-flags.ts';

export const addServe: AddCommand = (program, io, run) => {
  const command = program
    .command('serve')
    .summary('run the service, with its page')
    .description('run the service until it is stopped');
  withExamples(command, [
    ['notes serve', 'at http://127.0.0.1:3000, with the page'],
    ['notes serve --port 4000 --log-level debug', ''],
    ['DATABASE_URL=postgres://notes:secret@db.example/notes notes serve', ''],
  ]);
  addSettings(command);
  command.action(
    run(async (options: Record<string, string>) => {
      const config = readConfig(io.env, flagsOf(options));
      const { createLog } = await import('../../service/log.ts');
      const { serve } = await import('../../service/serve.ts');
      const log = await createLog(config.logLevel, io.stdout.isTTY === true);
      return await serve(config, log, io.handleSignals());
    }),
  );
};
