/** Sends requests to a server at a constant rate, by `send-at-rate.c`, in a process of its own. */
import { join } from 'node:path';
import { runCommand } from './programs.ts';
import { parseResult, type Result, type Sending } from './wrk.ts';

/** Compiles the sender into a folder, and returns its path. It needs Linux and `cc`. */
export async function compileRateSender(folder: string): Promise<string> {
  const sender = join(folder, 'send-at-rate');
  await runCommand(['cc', '-O2', '-o', sender, join(import.meta.dir, 'send-at-rate.c')]);
  return sender;
}

/** Latencies count from the time at which a request was due, whether or not a connection was free then. */
export async function runRateSender(
  sender: string,
  { url, requests, connections, seconds }: Sending,
  perSecond: number,
): Promise<Result> {
  const numbers = [connections, seconds, Math.round(perSecond)].map(String);
  return parseResult(await runCommand([sender, new URL(url).port, requests, ...numbers]));
}
