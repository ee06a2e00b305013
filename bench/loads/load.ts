/** Load on a server, by wrk where it is installed, else by autocannon: both give the same figures. */
import { join } from 'node:path';
import autocannonPackage from 'autocannon/package.json' with { type: 'json' };
import * as z from 'zod/mini';
import type { Host } from '../machine/processes.ts';
import { type Call, Method } from './scenarios.ts';

export interface Load {
  readonly url: string;
  /** A file from `writeTape`. */
  readonly tape: string;
  readonly connections: number;
  /** The duration in whole seconds. */
  readonly seconds: number;
}

/** The output of a generator. */
const Printed = z.object({
  requests: z.number(),
  seconds: z.number(),
  /** Latency in ms. */
  p50: z.number(),
  p99: z.number(),
  /** Responses with an error status. */
  refused: z.number(),
  socketErrors: z.number(),
});

export interface LoadResult extends z.infer<typeof Printed> {
  /** The share of one core that the generator used. Near 1, it and not the server was the limit. */
  readonly effort: number;
}

export interface Generator {
  /** Its name and version. */
  readonly version: string;
  run(load: Load): Promise<LoadResult>;
}

export function chooseGenerator(host: Host): Generator {
  const wrk = Bun.which('wrk');
  return {
    version: wrk ? versionOfWrk(wrk) : `autocannon ${autocannonPackage.version}`,
    async run(load) {
      const command = wrk ? wrkCommand(wrk, load) : autocannonCommand(load);
      const { line, cpuSeconds } = await runToEnd(command, host);
      const printed = Printed.parse(JSON.parse(line));
      return { ...printed, effort: cpuSeconds / printed.seconds };
    },
  };
}

/** Writes the calls in the format of both generators: method, path and body, separated by spaces, a line each. */
export const writeTape = (file: string, calls: readonly Call[]) =>
  Bun.write(file, calls.map(({ method, path, body }) => `${method} ${path} ${body}\n`).join(''));

/** The calls that `writeTape` wrote. */
export async function readTape(file: string): Promise<readonly Call[]> {
  const lines = (await Bun.file(file).text()).split('\n').slice(0, -1);
  return lines.map((line) => {
    const [method, path, ...body] = line.split(' ');
    return { method: Method.parse(method), path: path ?? '', body: body.join(' ') };
  });
}

function wrkCommand(wrk: string, { url, tape, connections, seconds }: Load): string[] {
  const script = join(import.meta.dir, 'wrk.lua');
  return [wrk, '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url, '--', tape];
}

function autocannonCommand(load: Load): string[] {
  return [process.execPath, join(import.meta.dir, 'autocannon.mjs'), JSON.stringify(load)];
}

/** The last line that the command prints, and its CPU time. */
async function runToEnd(command: string[], { signal }: Host): Promise<{ line: string; cpuSeconds: number }> {
  const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'inherit'], signal, killSignal: 'SIGKILL' });
  const text = await child.stdout.text();
  const code = await child.exited;
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${text}`);
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e6;
  return { line: text.trimEnd().split('\n').at(-1) ?? '', cpuSeconds };
}

/** wrk prints its version with its usage and calls that a failure. */
function versionOfWrk(wrk: string): string {
  const { stdout } = Bun.spawnSync([wrk, '--version']);
  return /^wrk \S+/.exec(stdout.toString())?.[0] ?? 'wrk (unknown version)';
}
