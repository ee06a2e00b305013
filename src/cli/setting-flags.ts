import { type Command, Option } from 'commander';
import { type Config, settings } from '../config.ts';
import { storeUrl } from './notes/store-options.ts';

/** Settings of the service, as given by flags. */
export type SettingFlags = Partial<Record<keyof Config, string>>;

const settingNames = Object.keys(settings) as (keyof Config)[];

/** Adds the flags of all settings of the service to a command. */
export function addSettings(command: Command): void {
  for (const name of settingNames) {
    const { flag, help, variable } = settings[name];
    if (flag === undefined) command.addHelpText('after', `\nIn the environment only:\n  ${variable}  ${help}`);
    else command.option(flag, `${help} (${variable})`);
  }
}

/** Extracts the settings from the options of a command. */
export function flagsOf(options: Readonly<Record<string, string>>): SettingFlags {
  const flags: SettingFlags = {};
  for (const name of settingNames) {
    const { flag } = settings[name];
    const value = flag && options[new Option(flag).attributeName()];
    if (value !== undefined) flags[name] = value;
  }
  return flags.database === undefined ? flags : { ...flags, database: storeUrl(flags.database) };
}
