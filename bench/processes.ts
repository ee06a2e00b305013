/** Starts the service, as users do, and the raw server, and ends them. */
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import * as z from 'zod/mini';
import { readLines } from '../test/service.ts';

/** A server in a process of its own, on a free port of this machine. It is ended with its scope. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** What runs the child processes; `signal` kills them all. */
export interface Host {
  readonly signal: AbortSignal;
}

const root = join(import.meta.dir, '..');
const startMs = 15_000;
const stopMs = 15_000;

/** The service, with its notes in the file `database`. */
export const startService = (host: Host, database: string) =>
  start(['src/main.ts', 'serve'], { ...host, env: { PORT: '0', DATABASE_URL: `sqlite:${database}` } });

/** The raw server, with the answers in the file `answers`. */
export const startRaw = (host: Host, answers: string) => start(['bench/raw.ts', answers], { ...host, env: {} });

async function start(argv: string[], { signal, env }: Host & { env: Record<string, string> }): Promise<Server> {
  const child = Bun.spawn([process.execPath, ...argv], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  });
  try {
    const url = await announcedUrl(child, argv.join(' '));
    return { url, pid: child.pid, [Symbol.asyncDispose]: () => end(child) };
  } catch (error) {
    await end(child);
    throw error;
  }
}

const Announcement = z.object({ url: z.url() });

/** Both servers tell their address as a line of JSON on standard output, which is read to its end. */
function announcedUrl({ stdout, exited }: Subprocess<'ignore', 'pipe', 'inherit'>, name: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late = setTimeout(() => reject(new Error(`${name} did not listen within ${startMs} ms`)), startMs);
  void readLines(stdout, (line) => {
    const { data } = Announcement.safeParse(JSON.parse(line));
    if (data) resolve(data.url.replace(/\/$/, ''));
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
