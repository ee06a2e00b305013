import { ConfigError, type DatabaseAddress, type Environment, settings } from '../../../config.ts';
import { NoteError } from '../../../core/error.ts';
import { count, counted } from '../../../core/tools/text.ts';
import { messageOf } from '../../../core/tools/thrown.ts';
import { openStore, type PostgresSettings } from '../../../service/open-store.ts';
import { locationOf } from '../../../store/postgres/open.ts';
import { isSameFile } from '../../../store/sqlite/database-files.ts';
import { Interrupted } from '../../exit-code.ts';
import { interruptionOf, unlessAborted } from '../../interruption.ts';
import type { Io, Output } from '../../io.ts';
import { storeUrl } from '../../notes/store-options.ts';
import { ProgressLine } from '../../terminal/progress.ts';
import { type MoveOptions, move } from './copy-notes.ts';
import { routeSettings } from './endpoints.ts';

export interface Route {
  readonly from: DatabaseAddress;
  readonly to: DatabaseAddress;
}

/** Reads the addresses from flags, else from the environment. Throws `ConfigError`. */
export function readRoute(env: Environment, flags: Partial<Record<keyof Route, string>>): Route {
  const route = { from: readAddress('from', flags.from, env), to: readAddress('to', flags.to, env) };
  if (isSame(route)) throw new ConfigError('--from and --to name the same store');
  return route;
}

/** Errors state the rule without the address: any part of a malformed one may be the password. */
function readAddress(name: keyof Route, given: string | undefined, env: Environment): DatabaseAddress {
  const { variable } = routeSettings[name];
  const text = given === undefined ? env[variable] : storeUrl(given);
  if (!text) throw new ConfigError(`Name a store by --${name} or ${variable}`);
  const source = given === undefined ? variable : `--${name}`;
  try {
    const address = settings.database.parse(text.trim());
    if (address.engine === 'postgres' || address.path !== ':memory:') return address;
  } catch (error) {
    throw new ConfigError(`${source} must be ${messageOf(error)}`);
  }
  throw new ConfigError(`${source} must not be sqlite::memory:, which keeps nothing`);
}

function isSame({ from, to }: Route): boolean {
  if (from.engine === 'postgres') return to.engine === 'postgres' && locationOf(from) === locationOf(to);
  return to.engine === 'sqlite' && isSameFile(from.path, to.path);
}

/** Moves all notes and prints the result. Errors say what to do next. */
export async function transferNotes(
  route: Route,
  limits: PostgresSettings,
  { io, json }: { io: Io; json: boolean },
): Promise<void> {
  let next = 'Nothing was moved';
  const onStage = (sentence: string) => {
    next = sentence;
  };
  using line = new ProgressLine(io.stderr);
  const options = { line, screen: io.stderr, signal: interruptionOf(io), onStage };
  const moved = await moveBetween(route, limits, options).catch((error) => {
    if (error instanceof Interrupted) throw new Interrupted(`Interrupted by SIGINT. ${next}`);
    throw error instanceof NoteError ? error.reworded(`${error.message}. ${next}`) : error;
  });
  const sentence = `Moved ${counted(moved.notes)} from ${moved.from} to ${moved.to} (hash ${moved.hash})`;
  io.stdout.write(`${json ? JSON.stringify(moved) : sentence}\n`);
}

/** More than a store can be configured to keep. */
const allVersions = 10_000;

async function moveBetween(
  { from, to }: Route,
  limits: PostgresSettings,
  { screen, ...options }: MoveOptions & { screen: Output },
) {
  const print = (_: object, sentence: string) => void screen.write(`${sentence}\n`);
  const open = (database: DatabaseAddress, mustExist: boolean) => {
    const config = { ...limits, database, databasePoolSize: 2, historyVersions: allVersions, mustExist };
    const events = { onCommit: () => {}, onLost: () => {} }; // requests fail after that
    return unlessAborted(openStore(config, { info: print, warn: print }, events), options.signal);
  };
  await using source = await open(from, true);
  await using target = await open(to, false);
  const started = performance.now();
  const { notes, hash } = await move(source, target, options);
  const seconds = (performance.now() - started) / 1000;
  options.line.clear();
  print({}, `${counted(notes)} in ${seconds.toFixed(1)} s (${count(notes / seconds)} notes/s)`);
  return { from: source.location, to: target.location, notes, hash };
}
