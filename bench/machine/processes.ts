/** Starts and ends servers; starts the service as users do. */
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import * as z from 'zod/mini';
import { readLines } from '../../test/support/service.ts';

/** What a server prints when it listens; peers add their runtime and how they commit. */
const Announcement = z.object({
  url: z.url(),
  runtime: z.optional(z.string()),
  /** SQLite's `PRAGMA synchronous`: 2 is FULL, which makes a commit durable. */
  synchronous: z.optional(z.int()),
});
type Announcement = z.infer<typeof Announcement>;

/** A server in a separate process on a free local port; ends on disposal. */
export interface Server extends AsyncDisposable, Announcement {
  readonly pid: number;
}

/** `signal` kills all child processes. */
export interface Host {
  readonly signal: AbortSignal;
}

/** How a server is started. */
export interface Program {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const root = join(import.meta.dir, '..', '..');
const startMs = 15_000;
const stopMs = 15_000;

export const startService = (host: Host, database: string) => startServiceOn(host, `sqlite:${database}`);

/** Starts the service; `address` is a `DATABASE_URL`. */
export const startServiceOn = (host: Host, address: string, settings: Program['env'] = {}) =>
  start(host, bun(['src/main.ts', 'serve'], { PORT: '0', DATABASE_URL: address, ...settings }));

/** Starts the raw server with the responses in the file `answers`. */
export const startRaw = (host: Host, answers: string) => start(host, bun(['bench/loads/raw.ts', answers], {}));

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

/** Reads standard output to its end; every server prints its address as a line of JSON. */
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

/** Stops a process; kills it after a timeout. */
async function end(child: Subprocess): Promise<void> {
  const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
  child.kill('SIGTERM');
  await child.exited;
  clearTimeout(late);
}
