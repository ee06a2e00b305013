import { statSync } from 'node:fs';
import { ConfigError, type DatabaseAddress, type Environment, settings } from '../../../config.ts';
import { openExclusive } from '../../../server/open-exclusive.ts';
import { type PostgresSettings, postgresOptions } from '../../../server/open-store.ts';
import type { PostgresAddress } from '../../../shared/postgres-address.ts';
import { locationOf, type PostgresOptions } from '../../../store/postgres/open.ts';
import { openPostgresSource, openPostgresTarget } from '../../../store/postgres/transfer.ts';
import { openSqliteSource, openSqliteTarget } from '../../../store/sqlite/transfer.ts';
import { type TransferSource, type TransferTarget, transfer } from '../../../store/transfer.ts';
import { Interrupted } from '../../exit-code.ts';
import { interruptionOf } from '../../interruption.ts';
import type { Io, Output } from '../../io.ts';
import { count, counted, ProgressLine } from '../../terminal/progress.ts';
import { routeSettings } from './route.ts';

/** The stores that notes are moved between. */
export interface Route {
  readonly from: DatabaseAddress;
  readonly to: DatabaseAddress;
}

/** The addresses in flags, or else in the environment. Throws `ConfigError`. */
export function readRoute(env: Environment, flags: Partial<Record<keyof Route, string>>): Route {
  const route = { from: readAddress('from', flags.from, env), to: readAddress('to', flags.to, env) };
  if (isSame(route)) throw new ConfigError('--from and --to name the same store');
  return route;
}

/** Of a wrong address only the rule is told: nobody knows what in it is the password. */
function readAddress(name: keyof Route, given: string | undefined, env: Environment): DatabaseAddress {
  const { variable } = routeSettings[name];
  const source = given === undefined && env[variable] ? variable : `--${name}`;
  try {
    const address = settings.database.parse((given ?? env[variable] ?? '').trim());
    if (address.engine === 'postgres' || address.path !== ':memory:') return address;
  } catch (error) {
    throw new ConfigError(`${source} must be ${error instanceof Error ? error.message : error}`);
  }
  throw new ConfigError(`${source} must not be sqlite::memory:, which keeps nothing`);
}

function isSame({ from, to }: Route): boolean {
  if (from.engine === 'postgres') return to.engine === 'postgres' && locationOf(from) === locationOf(to);
  if (to.engine === 'postgres') return false;
  const [one, other] = [identityOf(from.path), identityOf(to.path)];
  return one !== undefined && one === other;
}

/** Names a file, by whatever path it is reached; undefined when it cannot be. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined; // whoever opens it tells why
  }
}

/** Moves all notes, and tells what was moved. Throws `NoteError` when nothing, or maybe not all, was moved. */
export async function migrate(route: Route, limits: PostgresSettings, { io, json }: Migrate): Promise<void> {
  const moved = await move(route, limits, { screen: io.stderr, signal: interruptionOf(io) }).catch((error) => {
    throw error instanceof Interrupted ? new Interrupted('Interrupted by SIGINT. Nothing was moved') : error;
  });
  const sentence = `Moved ${counted(moved.notes)} from ${moved.from} to ${moved.to} (hash ${moved.hash})`;
  io.stdout.write(`${json ? JSON.stringify(moved) : sentence}\n`);
}

interface Migrate {
  readonly io: Io;
  readonly json: boolean;
}

interface MoveIo {
  readonly screen: Output;
  readonly signal: AbortSignal;
}

interface Moved {
  readonly from: string;
  readonly to: string;
  readonly notes: number;
  readonly hash: string;
}

/** Moves all notes and closes both stores. */
async function move({ from, to }: Route, limits: PostgresSettings, { screen, signal }: MoveIo): Promise<Moved> {
  const tell = (text: string) => void screen.write(`${text}\n`);
  await using source = await orInterrupted(openSource(from, limits, tell), signal);
  await using target = await orInterrupted(openTarget(to, limits, tell), signal);
  using line = new ProgressLine(screen);
  const started = performance.now();
  const { notes, hash } = await transfer(source, target, { signal, onProgress: (progress) => line.show(progress) });
  const seconds = (performance.now() - started) / 1000;
  line.clear();
  tell(`${counted(notes)} in ${seconds.toFixed(1)} s (${count(notes / seconds)} notes/s)`);
  return { from: source.location, to: target.location, notes, hash };
}

/** Whoever waits for a database that is not there yet must be able to end that. */
async function orInterrupted<Opened>(opening: Promise<Opened>, signal: AbortSignal): Promise<Opened> {
  signal.throwIfAborted();
  const interruption = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => interruption.reject(signal.reason));
  return Promise.race([opening, interruption.promise]);
}

type Tell = (text: string) => void;

async function openSource(address: DatabaseAddress, limits: PostgresSettings, tell: Tell): Promise<TransferSource> {
  if (address.engine === 'postgres') return openPostgresSource(toldOptions(address, limits, tell));
  const onCopied = (copy: string) => tell(`The schema of ${address.path} is older. A copy is at ${copy}`);
  return openExclusive(address.path, () => openSqliteSource(address.path, onCopied));
}

async function openTarget(address: DatabaseAddress, limits: PostgresSettings, tell: Tell): Promise<TransferTarget> {
  if (address.engine === 'postgres') return openPostgresTarget(toldOptions(address, limits, tell));
  return openExclusive(address.path, () => openSqliteTarget(address.path));
}

const toldOptions = (address: PostgresAddress, limits: PostgresSettings, tell: Tell): PostgresOptions => ({
  ...postgresOptions(address, limits, tell),
  onWaiting: (reason) => tell(`Waiting for ${locationOf(address)}: ${reason}`),
});
