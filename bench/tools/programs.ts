/** The programs that are measured: the service as it is now, at an earlier commit, and on a slow disk. */
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import * as z from 'zod/mini';
import { forEachLine } from '../../test/support/service.ts';

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** JSON on one line; empty for none. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Program {
  readonly name: string;
  /** The address of each instance. */
  readonly urls: readonly string[];
  /** The process ids of its instances, and of the servers that work for it. */
  readonly pids: readonly number[];
  /** Returns the request of a load as the program's own interface wants it. */
  readonly rewrite: (request: LoadRequest) => LoadRequest;
  /** Returns what the service would have responded instead of this text. Without it, the text is read as JSON. */
  readonly parseResponse?: (text: string) => unknown;
  /** The most connections that it is loaded by. */
  readonly maxConnections?: number;
  /** The name of the program that its rate is compared with. */
  readonly comparedWith?: string;
  /** The number of ms by which each sync is delayed. */
  readonly syncMs?: number;
  /** Whether this is another program than the service. Failures of peers do not fail the run. */
  readonly isPeer?: boolean;
  /** Whether it has the notes from its start on, so that they need not be stored through its interface. */
  readonly hasDrafts?: boolean;
  /** Returns how many notes it has. It is missing where only a read of all notes would tell. */
  readonly countStoredNotes?: () => Promise<number>;
}

const root = join(import.meta.dir, '..', '..');

const children = new Set<Subprocess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

type Env = Readonly<Record<string, string>>;

/** Starts a process that ends with this one. */
export function startChild(
  command: readonly string[],
  { folder = root, env = {} }: { folder?: string; env?: Env } = {},
) {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    onExit: (ended) => void children.delete(ended),
  });
  children.add(child);
  return child;
}

/** Runs a command to its end; returns what it prints. Throws when it fails. */
export async function runCommand(command: readonly string[], folder = root): Promise<string> {
  const child = startChild(command, { folder });
  const output = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} ended with ${child.exitCode}`);
  return output.trimEnd();
}

/** What a server prints when it listens; peers add SQLite's `PRAGMA synchronous`, 2 for FULL. */
const Announcement = z.object({ url: z.url(), synchronous: z.optional(z.int()) });
const startMs = 60_000;

/** Starts a server and waits until it listens. */
export async function startServerAndWaitForUrl(
  command: readonly string[],
  { folder, env }: { folder: string; env: Env },
) {
  const child = startChild(command, { folder, env });
  const announced = Promise.withResolvers<z.infer<typeof Announcement>>();
  const late = setTimeout(() => announced.reject(new Error(`${command.join(' ')} did not listen in time`)), startMs);
  void child.exited.then((code) => announced.reject(new Error(`${command.join(' ')} ended with ${code}`)));
  void forEachLine(child.stdout, (line) => {
    const { data } = Announcement.safeParse(JSON.parse(line));
    if (data !== undefined) announced.resolve(data);
  });
  const { url, synchronous } = await announced.promise.finally(() => clearTimeout(late));
  return { url: url.replace(/\/$/, ''), synchronous, pid: child.pid, child };
}

const pollMs = 50;

/** Waits until a server that announces nothing responds to a GET of `url`. */
export async function waitUntilListening(child: Subprocess, url: string): Promise<void> {
  const late = performance.now() + startMs;
  while (!(await isListening(url))) {
    if (child.exitCode !== null || performance.now() > late) throw new Error(`${url} does not respond`);
    await Bun.sleep(pollMs);
  }
}

const isListening = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** The program at one commit. */
export interface Version {
  readonly name: string;
  /** The folder with its `src` and `node_modules`. */
  readonly root: string;
}

export const currentVersion: Version = { name: 'now', root };

export interface ServiceOptions extends Pick<Program, 'comparedWith' | 'syncMs'> {
  readonly name: string;
  readonly database: string;
  readonly instances?: number;
  readonly env?: Env;
}

/** Starts instances of `notes serve` on one database. */
export async function startServiceInstances(version: Version, options: ServiceOptions): Promise<Program> {
  const { database, instances = 1, env, ...described } = options;
  const command = [join(version.root, 'node_modules/.bin/bun'), 'src/main.ts', 'serve'];
  const servers = [];
  while (servers.length < instances) {
    const settings = { PORT: '0', DATABASE_URL: database, ...env };
    servers.push(await startServerAndWaitForUrl(command, { folder: version.root, env: settings }));
  }
  const urls = servers.map(({ url }) => url);
  return {
    ...described,
    urls,
    pids: servers.map(({ pid }) => pid),
    rewrite: (request) => request,
    countStoredNotes: () => fetchStoredNoteCount(urls[0] ?? ''),
  };
}

async function fetchStoredNoteCount(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const stored = /^notes_stored (\d+)$/m.exec(metrics)?.[1];
  if (stored === undefined) throw new Error('/metrics lacks notes_stored');
  return Number(stored);
}

/** Unpacks `commit` into `folder`; links the packages installed here if they are the same, else installs its own. */
export async function checkOutAndInstall(commit: string, folder: string): Promise<Version> {
  const hash = await runCommand(['git', 'rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`]);
  mkdirSync(folder);
  await runCommand(['git', 'archive', '--output', `${folder}.tar`, hash]);
  await runCommand(['tar', '-xf', `${folder}.tar`, '-C', folder]);
  const readLockFile = (top: string) => Bun.file(join(top, 'package-lock.json')).text();
  if ((await readLockFile(root)) === (await readLockFile(folder))) {
    symlinkSync(realpathSync(join(root, 'node_modules')), join(folder, 'node_modules'));
  } else {
    await runCommand(['npm', 'ci', '--omit=dev', '--silent'], folder);
  }
  return { name: hash.slice(0, 8), root: folder };
}

/** The commit of the working tree, with `-dirty` when there is more in it. */
export const describeWorkingTree = () => runCommand(['git', 'describe', '--always', '--dirty', '--exclude=*']);

/**
 * The settings of a program whose syncs take `ms` longer, by a library in front of libc; undefined where it cannot be
 * made.
 */
export async function createSlowSyncEnvIfPossible(ms: number, folder: string): Promise<Env | undefined> {
  if (process.platform !== 'linux' || Bun.which('cc') === null) return undefined;
  const library = join(folder, 'slow-sync.so');
  await runCommand(['cc', '-shared', '-fPIC', '-O2', '-o', library, join(import.meta.dir, 'slow-sync.c')]);
  return { LD_PRELOAD: library, SYNC_DELAY_US: String(ms * 1_000) };
}
