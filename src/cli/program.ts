import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { type Config, type Environment, readConfig, settings } from '../config.ts';
import { createLog } from './log.ts';
import { type Stop, serve } from './serve.ts';

/** What the program needs from the process that it runs in. */
export interface Io {
  readonly env: Environment;
  readonly isTerminal: boolean;
  /** Resolved to stop a running service. */
  readonly stopping: PromiseWithResolvers<Stop>;
}

const settingNames = Object.keys(settings) as (keyof Config)[];

/** The commands. Parsing runs one of them; its exit code goes to `done`. */
export function createProgram(io: Io, done: (exitCode: number) => void): Command {
  const program = new Command('notes')
    .description(packageJson.description)
    .version(packageJson.version)
    .showHelpAfterError()
    .exitOverride();

  const serveCommand = program.command('serve').description('run the service until it is told to stop');
  for (const name of settingNames) {
    const { flag, help, variable } = settings[name];
    serveCommand.option(flag, `${help} (${variable})`);
  }
  serveCommand.action(async (options: Record<string, string>) => {
    const config = readConfig(io.env, flagsOf(options));
    const log = await createLog(config.logLevel, io.isTerminal);
    done(await serve(config, log, io.stopping));
  });
  return program;
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
