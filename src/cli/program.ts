import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { type Config, type Environment, readConfig, settings } from '../config.ts';
import { createLog } from './log.ts';
import { migrate, type Route, readRoute, routeSettings } from './migrate.ts';
import { type Stop, serve } from './serve.ts';

/** What the program needs from the process that it runs in. */
export interface Io {
  readonly env: Environment;
  readonly isTerminal: boolean;
  /** Resolved to stop a running service. */
  readonly stopping: PromiseWithResolvers<Stop>;
}

const settingNames = Object.keys(settings) as (keyof Config)[];

type Done = (exitCode: number) => void;

/** The commands. Parsing runs one of them; its exit code goes to `done`. */
export function createProgram(io: Io, done: Done): Command {
  const program = new Command('notes')
    .description(packageJson.description)
    .version(packageJson.version)
    .showHelpAfterError()
    .exitOverride();
  addServe(program, io, done);
  addMigrate(program, io, done);
  return program;
}

function addServe(program: Command, io: Io, done: Done): void {
  const command = program.command('serve').description('run the service until it is told to stop');
  for (const name of settingNames) {
    const { flag, help, variable } = settings[name];
    command.option(flag, `${help} (${variable})`);
  }
  command.action(async (options: Record<string, string>) => {
    const config = readConfig(io.env, flagsOf(options));
    const log = await createLog(config.logLevel, io.isTerminal);
    done(await serve(config, log, io.stopping));
  });
}

function addMigrate(program: Command, io: Io, done: Done): void {
  const secret = 'An address with a password belongs in the variable: flags are shown in the list of processes.';
  const command = program
    .command('migrate')
    .description(`move all notes to another, empty store; the first one keeps them too. ${secret}`);
  for (const { flag, help, variable } of Object.values(routeSettings)) command.option(flag, `${help} (${variable})`);
  command.action(async (options: Partial<Record<keyof Route, string>>) => {
    const route = readRoute(io.env, options);
    done(await migrate(route, readConfig(io.env), { screen: process.stderr, stopping: io.stopping }));
  });
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
