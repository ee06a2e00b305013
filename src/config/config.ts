/** Reads the settings from flags, the environment, files and defaults. */
import type { AccessToken } from '../core/setting-values.ts';
import { getErrorMessage } from '../core/thrown-errors.ts';
import { tryReadSecretFileWithWarning } from './secret-file.ts';
import { type Environment, type Setting, settings } from './settings-table.ts';

/** Values of the settings, by name. */
export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']> };

/** Invalid settings. The message lists all mistakes, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Returns the variables that locate the notes. Commands on notes ignore mistakes in all others. */
export const selectStoreVariables = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(DATABASE_|HISTORY_VERSIONS$|HOME$|XDG_DATA_HOME$)/.test(name)),
  );

/** Settings as texts, by name. */
type SettingTexts = Partial<Record<keyof Config, string>>;

/**
 * Reads the settings from flags, else from the environment, else from defaults. Calls `warn` with a sentence for each
 * file that exposes its secret. Throws `ConfigError`.
 */
export function readConfigAndWarn(
  env: Environment,
  flags: SettingTexts = {},
  warn: (sentence: string) => void = () => {},
): Config {
  const { config, mistakes, warnings } = readSettingsAndCollectMistakes(env, flags);
  for (const sentence of warnings) warn(sentence);
  if (isCompleteConfig(config) && mistakes.length === 0) return Object.freeze(config);
  throw new ConfigError(`Wrong settings:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);
}

interface SettingsReport {
  readonly config: Partial<Config>;
  readonly mistakes: readonly string[];
  /** A sentence for each file that exposes its secret. */
  readonly warnings: readonly string[];
}

/** Like `readConfigAndWarn`, but returns the mistakes; settings with one are undefined. */
export function readSettingsAndCollectMistakes(env: Environment, flags: SettingTexts): SettingsReport {
  const mistakes: string[] = [];
  const warnings: string[] = [];
  const flagTexts: Readonly<Record<string, string | undefined>> = flags;
  const fromFlag = flags.database === undefined ? {} : { DATABASE_URL: flags.database, DATABASE_URL_FILE: undefined };
  const environments = { env, fallbackEnv: { ...env, ...fromFlag } };
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const settingText = readSettingText(setting, flagTexts[name], environments);
    if (settingText.warning !== undefined) warnings.push(settingText.warning);
    try {
      values[name] = parseSettingText(setting, settingText);
    } catch (error) {
      values[name] = undefined;
      mistakes.push(getErrorMessage(error));
    }
  }
  const config: Partial<Config> = values;
  if (isCompleteConfig(config)) mistakes.push(...listContradictions(config, flags));
  return { config, mistakes, warnings };
}

/** The access tokens in a file, and a warning if others can read it. */
export interface AccessTokenFile {
  readonly tokens: readonly AccessToken[];
  readonly warning?: string | undefined;
}

/** Reads the file of access tokens; undefined if none is named. Throws an error that describes the mistake. */
export function readAccessTokensFromFileIfConfigured(env: Environment): AccessTokenFile | undefined {
  if (!env[`${settings.accessTokens.variable}_FILE`]) return undefined;
  const settingText = readSettingText(settings.accessTokens, undefined, { env, fallbackEnv: env });
  return { tokens: parseSettingText(settings.accessTokens, settingText), warning: settingText.warning };
}

/** Parses the text of a setting. Throws an error that describes the mistake. */
function parseSettingText<Value>(setting: Setting<Value>, { source, text, mistake }: SettingText): Value {
  if (mistake !== undefined) throw new Error(mistake);
  try {
    return setting.parse(text.trim());
  } catch (error) {
    const shown = setting.isSecret ? '' : `, not ${JSON.stringify(text)}`; // any part of it may be the password
    throw new Error(`${source} must be ${getErrorMessage(error)}${shown}`);
  }
}

/** Returns a sentence for each pair of settings that contradict each other. */
function listContradictions({ database, backupDir }: Config, flags: SettingTexts): readonly string[] {
  if (backupDir === 'off') return [];
  const source = flags.backupDir === undefined ? settings.backupDir.variable : '--backup-dir';
  const mustBeOff = `${source} must be off with`;
  if (database.engine === 'postgres') return [`${mustBeOff} PostgreSQL, whose backups are made by pg_dump`];
  return database.path === ':memory:' ? [`${mustBeOff} sqlite::memory:, which keeps nothing`] : [];
}

/** The text of a setting, and its source: a flag, a variable, the file that a variable names, or the default. */
interface SettingText {
  /** For messages: `--port`, `PORT` or `The text in DATABASE_URL_FILE`. */
  readonly source: string;
  readonly text: string;
  /** Why there is no text. */
  readonly mistake?: string;
  readonly warning?: string | undefined;
}

interface Environments {
  readonly env: Environment;
  /** The environment for defaults, which also has the flags that they depend on. */
  readonly fallbackEnv: Environment;
}

/** Finds the text of a setting: in its flag, the file that a variable names, its variable, or else its default. */
function readSettingText(setting: Setting, flag: string | undefined, { env, fallbackEnv }: Environments): SettingText {
  const { variable, fallback, isSecret } = setting;
  if (flag !== undefined) return { source: setting.flag?.split(' ', 1)[0] ?? '', text: flag };
  const file = isSecret ? env[`${variable}_FILE`] : undefined;
  if (file) return readSecretTextOrMistake(file, variable, env);
  const defaultText = () => (typeof fallback === 'string' ? fallback : fallback(fallbackEnv));
  return { source: variable, text: env[variable] || defaultText() };
}

/** Reads the file with the text of a secret setting, such as that of `DATABASE_URL_FILE`. */
function readSecretTextOrMistake(file: string, variable: string, env: Environment): SettingText {
  const source = `${variable}_FILE`;
  if (env[variable]) return { source, text: '', mistake: `${variable} and ${source} must not both be set` };
  const secret = tryReadSecretFileWithWarning(file, source);
  if (secret === undefined) return { source, text: '', mistake: `${source} must be a readable file, not "${file}"` };
  return { source: `The text in ${source}`, ...secret };
}

/** Whether all settings are valid. */
const isCompleteConfig = (config: Partial<Config>): config is Config =>
  Object.values(config).every((value) => value !== undefined);
