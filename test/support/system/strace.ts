/** Makes system calls of a running process fail, by strace. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder, forEachLine } from '../service.ts';
import { runProgramSyncOrThrow, tryAndFindObstacle } from './disk.ts';
import { hasExited } from './process-facts.ts';

export interface Fault {
  /** Names of system calls, separated by commas. */
  readonly calls: string;
  /** The effect, as in `strace -e inject=<calls>:<effect>`. */
  readonly effect: string;
  /** Affects only calls on these files; all if empty. */
  readonly files?: readonly string[];
}

export interface Injection extends AsyncDisposable {
  /** Ends the injection. Resolves to the times of the faults, in ms since 1970. */
  stop(): Promise<number[]>;
}

/** Injects a fault into a process until the disposal of the result. */
export async function injectFault(pid: number, { calls, effect, files = [] }: Fault): Promise<Injection> {
  const rules = ['-e', `trace=${calls}`, '-e', `inject=${calls}:${effect}`, ...files.flatMap((file) => ['-P', file])];
  const folder = createTemporaryFolder();
  const output = join(folder.path, 'trace');
  const child = Bun.spawn(['strace', '-f', '-ttt', '-o', output, ...rules, '-p', String(pid)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  await waitUntilAttached(child.stderr);
  const watch = setInterval(() => {
    if (hasExited({ pid })) child.kill('SIGKILL'); // strace sometimes misses the end of a thread, and keeps the process
  }, 5);

  async function end(): Promise<void> {
    child.kill('SIGINT'); // strace detaches from the process
    await child.exited;
    clearInterval(watch);
  }

  return {
    async stop() {
      await end();
      return parseFaultTimes(readFileSync(output, 'utf8'));
    },
    async [Symbol.asyncDispose]() {
      await end();
      folder[Symbol.dispose]();
    },
  };
}

/** The times of faults. A line of the trace has thread, time in s, call. */
function parseFaultTimes(trace: string): number[] {
  const strikes = trace.matchAll(/^\d+ +([\d.]+) .*\((?:INJECTED|DELAYED)\)$/gm);
  return [...strikes].map(([, seconds]) => Number(seconds) * 1000);
}

/** Resolves when strace has attached; rejects with its output otherwise. */
async function waitUntilAttached(stderr: ReadableStream<Uint8Array>): Promise<void> {
  const holds = Promise.withResolvers<void>();
  const said: string[] = [];
  void forEachLine(stderr, (line) => {
    said.push(line);
    if (/ attached\b/.test(line)) holds.resolve();
  }).then(() => holds.reject(new Error(said.join('\n'))));
  await holds.promise;
}

/** Why injection is impossible here; undefined if possible. */
export const findObstacleToInjection = () =>
  tryAndFindObstacle(() => runProgramSyncOrThrow('strace', '-o', '/dev/null', 'true'));
