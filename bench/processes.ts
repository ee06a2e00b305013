/** Starts servers, the service as users do, and ends them. */
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import * as z from 'zod/mini';
import { readLines } from '../test/support/service.ts';

/** What a server tells when it listens; what it runs on and how it commits is told by peers. */
const Announcement = z.object({
  url: z.url(),
  runtime: z.optional(z.string()),
  /** SQLite's `PRAGMA synchronous`: 2 is FULL, which makes a commit durable. */
  synchronous: z.optional(z.int()),
});
type Announcement = z.infer<typeof Announcement>;

/** A server in a process of its own, on a free port of this machine. It is ended with its scope. */
export interface Server extends AsyncDisposable, Announcement {
  readonly pid: number;
}

/** What runs the child processes; `signal` kills them all. */
export interface Host {
  readonly signal: AbortSignal;
}

/** How a server is started. */
export interface Program {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const root = join(import.meta.dir, '..');
const startMs = 15_000;
const stopMs = 15_000;

/** The service, with its notes in the file `database`. */
export const startService = (host: Host, database: string) => startServiceOn(host, `sqlite:${database}`);

/** The service, with its notes wherever `address` says: a `DATABASE_URL`. */
export const startServiceOn = (host: Host, address: string, settings: Program['env'] = {}) =>
  start(host, bun(['src/main.ts', 'serve'], { PORT: '0', DATABASE_URL: address, ...settings }));

/** The raw server, with the answers in the file `answers`. */
export const startRaw = (host: Host, answers: string) => start(host, bun(['bench/raw.ts', answers], {}));

const bun = (argv: string[], env: Program['env']): Program => ({
  argv: [process.execPath, ...argv],
  folder: root,
  env,
});

export async function start({ signal }: Host, { argv, folder, env }: Program): Promise<Server> {
  const child = Bun.spawn([...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  });
  try {
    const announced = await announcement(child, argv.join(' '));
    return { ...announced, pid: child.pid, [Symbol.asyncDispose]: () => end(child) };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** Every server tells its address as a line of JSON on standard output, which is read to its end. */
function announcement(
  { stdout, exited }: Subprocess<'ignore', 'pipe', 'inherit'>,
  name: string,
): Promise<Announcement> {
  const { promise, resolve, reject } = Promise.withResolvers<Announcement>();
  const late = setTimeout(() => reject(new Error(`${name} did not listen within ${startMs} ms`)), startMs);
  void readLines(stdout, (line) => {
    const { data } = Announcement.safeParse(JSON.parse(line));
    if (data) resolve({ ...data, url: data.url.replace(/\/$/, '') });
  }).catch(reject);
  void exited.then((code) => reject(new Error(`${name} ended with ${code}`)));
  return promise.finally(() => clearTimeout(late));
}

/** Asks it to stop, and does not wait for ever. */
async function end(child: Subprocess): Promise<void> {
  const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
  child.kill('SIGTERM');
  await child.exited;
  clearTimeout(late);
}
