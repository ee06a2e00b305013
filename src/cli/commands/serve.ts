import type { Command } from 'commander';
import { type Config, readConfig, settings } from '../../config.ts';
import { withExamples } from '../help.ts';
import type { AddCommand } from '../io.ts';

const settingNames = Object.keys(settings) as (keyof Config)[];

export const addServe: AddCommand = (program, io, run) => {
  const command = program
    .command('serve')
    .summary('run the service, with its page')
    .description('run the service until it is told to stop');
  withExamples(command, [
    ['notes serve', 'at http://127.0.0.1:3000, with the page'],
    ['notes serve --port 4000 --log-level debug', ''],
    ['DATABASE_URL=postgres://notes:secret@db.example/notes notes serve', ''],
  ]);
  addSettings(command);
  command.action(
    run(async (options: Record<string, string>) => {
      const config = readConfig(io.env, flagsOf(options));
      const { createLog } = await import('../../server/log.ts');
      const { serve } = await import('../../server/serve.ts');
      const log = await createLog(config.logLevel, io.stdout.isTTY === true);
      return await serve(config, log, io.stopping());
    }),
  );
};

function addSettings(command: Command): void {
  for (const name of settingNames) {
    const { flag, help, variable } = settings[name];
    command.option(flag, `${help} (${variable})`);
  }
}

/** commander names an option after its flag: `--database-url` becomes `databaseUrl`. */
function flagsOf(options: Readonly<Record<string, string>>): Partial<Record<keyof Config, string>> {
  const flags: Partial<Record<keyof Config, string>> = {};
  for (const name of settingNames) {
    const option = settings[name].flag.split(' ', 1)[0]?.slice(2) ?? '';
    const value = options[option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) flags[name] = value;
  }
  return flags;
}
