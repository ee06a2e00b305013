import { type Command, Option } from 'commander';
import { type Config, readAccessTokensFromFileIfConfigured, readConfigAndWarn } from '../../config/config.ts';
import { settings } from '../../config/settings-table.ts';
import { prependExamplesToHelp } from '../flags.ts';
import type { RegisterCommand } from '../io.ts';
import { toDatabaseUrl } from '../notes/store-location.ts';

export const registerServeCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('serve')
    .summary('run the service, with its page')
    .description('run the service until it is stopped');
  prependExamplesToHelp(command, [
    ['notes serve', 'at http://127.0.0.1:3000, with the page'],
    ['notes serve --port 4000 --log-level debug', ''],
    ['DATABASE_URL=postgres://notes:secret@db.example/notes notes serve', ''],
  ]);
  addSettingFlags(command);
  command.action(
    run(async (options: Record<string, string>) => {
      const warnings: string[] = []; // the log has its level from the settings
      const config = readConfigAndWarn(io.env, getSettingsFromOptions(options), (sentence) => warnings.push(sentence));
      const { createLog } = await import('../../service/log.ts');
      const { runService } = await import('../../service/run-service.ts');
      const log = await createLog(config.logLevel, io.stdout.isTTY === true);
      for (const sentence of warnings) log.warn({}, sentence);
      const isTerminal = io.stdout.isTTY === true; // its window may be closed, which sends SIGHUP too
      const reload = { onSignal: io.handleHangUps, readTokens: () => readAccessTokensFromFileIfConfigured(io.env) };
      return await runService(config, log, io.handleSignals(), isTerminal ? {} : { reload });
    }),
  );
};

/** Settings of the service in flags, as texts. */
type SettingFlags = Partial<Record<keyof Config, string>>;

const settingNames = Object.keys(settings) as (keyof Config)[];

/** Adds the flags of all settings of the service to a command. */
function addSettingFlags(command: Command): void {
  for (const name of settingNames) {
    const { flag, help, variable } = settings[name];
    if (flag === undefined) command.addHelpText('after', `\nIn the environment only:\n  ${variable}  ${help}`);
    else command.option(flag, `${help} (${variable})`);
  }
}

/** Extracts the settings from the options of a command. */
function getSettingsFromOptions(options: Readonly<Record<string, string>>): SettingFlags {
  const flags: SettingFlags = {};
  for (const name of settingNames) {
    const { flag } = settings[name];
    const value = flag && options[new Option(flag).attributeName()];
    if (value !== undefined) flags[name] = value;
  }
  return flags.database === undefined ? flags : { ...flags, database: toDatabaseUrl(flags.database) };
}
