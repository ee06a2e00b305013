import { type Command, Option } from 'commander';
import { type Config, readConfig, settings } from '../../config.ts';
import { withExamples } from '../help.ts';
import type { AddCommand } from '../io.ts';
import { storeUrl } from '../notes/store-options.ts';

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
    if (flag === undefined) command.addHelpText('after', `\nIn the environment alone:\n  ${variable}  ${help}`);
    else command.option(flag, `${help} (${variable})`);
  }
  command.addOption(new Option(formerFlag).hideHelp().conflicts('db'));
}

/** Of 0.1.0, for `--db`. */
const formerFlag = '--database-url <url>';

/** commander names an option after its flag: `--log-level` becomes `logLevel`. */
function flagsOf(options: Readonly<Record<string, string>>): Partial<Record<keyof Config, string>> {
  const flags: Partial<Record<keyof Config, string>> = {};
  for (const name of settingNames) {
    const option = settings[name].flag?.split(' ', 1)[0]?.slice(2) ?? '';
    const value = options[option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) flags[name] = value;
  }
  const database = flags.database ?? options['databaseUrl'];
  return database === undefined ? flags : { ...flags, database: storeUrl(database) };
}
