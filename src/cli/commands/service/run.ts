import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Config, ConfigError, type Environment, readConfig, settings } from '../../../config.ts';
import { NoteError } from '../../../domain/error.ts';
import type { ExitCode } from '../../exit-code.ts';
import { attempt } from '../../file-errors.ts';
import type { Io } from '../../io.ts';
import type { SettingFlags } from '../../setting-flags.ts';
import { keepState, stateFolder } from '../../state-folder.ts';
import { launchd } from './launchd.ts';
import { type Manager, type Program, signature, type Words } from './manager.ts';
import { systemd } from './systemd.ts';

/** Writes the service file and starts the service, or restarts it. Throws `ConfigError`, `unavailable`. */
export async function install(flags: SettingFlags, { env, stderr }: Io): Promise<ExitCode> {
  const manager = managerOf(process.platform);
  const text = manager.textOf(programFor(flags, env));
  const file = manager.fileIn(env);
  refuseForeign(file);
  await succeed(manager.probe, env);
  if (await succeeds(manager.isRunning, env)) await succeedAll(manager.stop, env);
  await attempt('write', file, async () => keepState(file, text));
  await succeedAll(manager.start(file), env);
  stderr.write(`Started by ${manager.name}, now and at each login: ${file}\n${manager.hints}\n`);
  return 0;
}

/** Stops the service and removes its file only. Prints what remains. */
export async function uninstall({ env, stderr }: Io): Promise<ExitCode> {
  const manager = managerOf(process.platform);
  const file = manager.fileIn(env);
  refuseForeign(file);
  if (existsSync(file)) {
    if (await succeeds(manager.isRunning, env)) await succeedAll(manager.stop, env);
    await attempt('remove', file, async () => rmSync(file));
    await succeedAll(manager.afterRemoval, env);
    stderr.write(`Stopped, and removed ${file}\n`);
  } else stderr.write(`No service is installed: ${file} is missing\n`);
  stderr.write(`Not removed:\n${whatStays(env).join('')}`);
  return 0;
}

/** Prints whether the service is installed and running. Returns 1 if it is not running. */
export async function status({ env, stdout }: Io): Promise<ExitCode> {
  const manager = managerOf(process.platform);
  const file = manager.fileIn(env);
  const isInstalled = existsSync(file);
  const isRunning = isInstalled && (await succeeds(manager.isRunning, env));
  const state = isInstalled ? (isRunning ? 'running' : 'stopped') : 'not installed';
  stdout.write(`${state}\t${file}\n`);
  return isRunning ? 0 : 1;
}

function managerOf(platform: NodeJS.Platform): Manager {
  if (platform === 'linux') return systemd;
  if (platform === 'darwin') return launchd(process.getuid?.() ?? 0);
  throw new NoteError('unavailable', 'Only systemd and launchd are supported. Make your system start "notes serve"');
}

/** Throws `ConfigError` for invalid settings and those that a service of a user cannot have. */
function programFor(flags: SettingFlags, env: Environment): Program {
  const { HOME: home = '' } = env;
  const variables = variablesIn(env);
  const address = flags.database === undefined && ['DATABASE_URL', 'DATABASE_URL_FILE'].find((name) => env[name]);
  if (address) throw new ConfigError(`The service does not read ${address} of this shell. Name the file with --db`);
  const { database } = readConfig({ HOME: home, ...variables }, flags);
  if (database.engine !== 'sqlite' || database.path === ':memory:') {
    throw new ConfigError('A user service keeps its notes in a file. For PostgreSQL see deploy/notes.service');
  }
  const own = ownProgram();
  if (own.some((word) => /[\\/]_npx[\\/]/.test(word))) {
    throw new ConfigError('npx keeps this program only temporarily. Install it: npm install --global <package>');
  }
  const words = [...own, 'serve', ...wordsOf(flags)];
  if ([...words, ...Object.values(variables)].some((word) => /[\0\n\r]/.test(word))) {
    throw new ConfigError('A path or setting contains a line break');
  }
  return { words, variables, home };
}

/** Returns settings without a flag, for the environment of the service. */
function variablesIn({ XDG_DATA_HOME, ACCESS_TOKEN, ACCESS_TOKEN_FILE }: Environment): Record<string, string> {
  if (ACCESS_TOKEN) throw new ConfigError('Put the token in a file, and set ACCESS_TOKEN_FILE instead of ACCESS_TOKEN');
  return {
    ...(XDG_DATA_HOME && { XDG_DATA_HOME }),
    ...(ACCESS_TOKEN_FILE && { ACCESS_TOKEN_FILE: resolve(ACCESS_TOKEN_FILE) }),
  };
}

/** The command that started this program: the executable, or Bun with its flags and the main module. */
const ownProgram = (): string[] =>
  Bun.embeddedFiles.length > 0 ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main];

/** Converts settings to arguments, with absolute paths. */
function wordsOf({ database, backupDir, ...others }: SettingFlags): string[] {
  const given: SettingFlags = {
    ...others,
    ...(database !== undefined && { database: `sqlite:${resolve(database.replace(/^sqlite:/, ''))}` }),
    ...(backupDir !== undefined && { backupDir: backupDir === 'off' ? backupDir : resolve(backupDir) }),
  };
  const names = Object.keys(given) as (keyof Config)[];
  return names.flatMap((name) => [settings[name].flag?.split(' ', 1)[0] ?? '', given[name] ?? '']);
}

function refuseForeign(file: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8').includes(signature)) return;
  throw new NoteError(
    'unavailable',
    `"notes service install" did not write ${file}. Remove it first, or manage it yourself`,
  );
}

/** Lists the folders that remain and have content, one line each. */
function whatStays(env: Environment): string[] {
  const { database } = readConfig({ HOME: env['HOME'], XDG_DATA_HOME: env['XDG_DATA_HOME'] });
  const paths = [
    [database.engine === 'sqlite' ? dirname(database.path) : undefined, 'notes and backups'],
    [stateFolder(env, '.'), 'what sync remembers'],
    [ownProgram().at(-1), 'the program'],
  ] as const;
  return paths.flatMap(([path, meaning]) => (path && existsSync(path) ? [`  ${path}  ${meaning}\n`] : []));
}

async function runToEnd([name = '', ...words]: Words, env: Environment) {
  if (Bun.which(name, { PATH: env['PATH'] ?? '' }) === null) return { code: 127, stderr: `There is no ${name}` };
  const child = Bun.spawn([name, ...words], { env: { ...env }, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const stderr = await child.stderr.text();
  return { code: await child.exited, stderr: stderr.trim() };
}

const succeeds = async (command: Words, env: Environment) => (await runToEnd(command, env)).code === 0;

async function succeed(command: Words, env: Environment): Promise<void> {
  const { code, stderr } = await runToEnd(command, env);
  if (code !== 0) throw new NoteError('unavailable', `"${command.join(' ')}" exited with code ${code}: ${stderr}`);
}

async function succeedAll(commands: readonly Words[], env: Environment): Promise<void> {
  for (const command of commands) await succeed(command, env);
}
