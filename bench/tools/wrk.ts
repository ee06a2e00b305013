/** Sends requests to a server as fast as it responds, by wrk, in a process of its own. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type LoadRequest, startChild } from './programs.ts';

/** What `wrk.lua` and `send-at-rate.c` print. */
const Result = z.object({
  requests: z.number(),
  seconds: z.number(),
  bytes: z.number(),
  /** The latencies are in ms. */
  p50: z.number(),
  p99: z.number(),
  /** The number of responses with a status above 399. */
  refused: z.number(),
  /** The number of failed connections, and of requests without a response in 10 s. */
  broken: z.number(),
});
export type Result = z.infer<typeof Result>;

function findWrkOrThrow(): string {
  const wrk = Bun.which('wrk');
  if (wrk === null) throw new Error('This benchmark needs wrk: install it with your package manager');
  return wrk;
}

/** wrk prints its version with its usage, and calls that a failure. */
export const readWrkVersion = () =>
  /^wrk \S+/.exec(Bun.spawnSync([findWrkOrThrow(), '--version']).stdout.toString())?.[0] ?? 'wrk';

export interface Sending {
  readonly url: string;
  /** A file that `writeWrkRequests` wrote. */
  readonly requests: string;
  readonly connections: number;
  /** This must be an integer. */
  readonly seconds: number;
}

export async function runWrk({ url, requests, connections, seconds }: Sending): Promise<Result> {
  const script = join(import.meta.dir, 'wrk.lua');
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script];
  const child = startChild([findWrkOrThrow(), ...flags, url, '--', requests]);
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`wrk ended with ${child.exitCode}: ${text}`);
  return parseResult(text);
}

/** Parses what a sender has printed: its last line is the result. */
export const parseResult = (text: string): Result => Result.parse(JSON.parse(text.trimEnd().split('\n').at(-1) ?? ''));

/** Writes requests in the format that `wrk.lua` reads. */
export async function writeWrkRequests(path: string, requests: readonly LoadRequest[]): Promise<void> {
  const lines = requests.map(({ method, path, headers, body }) => {
    const all = { ...headers, ...(body !== '' && { 'Content-Type': 'application/json' }) };
    const shown = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return `${[method, path, shown.join('|'), body].join('\t')}\n`;
  });
  await Bun.write(path, lines.join(''));
}
