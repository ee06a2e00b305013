/** Counts the syncs of a process, as external evidence of durability. */

import type { Host } from '../machine/processes.ts';
import type { Figure } from '../output/figure.ts';

/** The calls of `fsync` and `fdatasync` by the process `pid` while `during` runs, seen by strace. */
export async function countFsyncs({ signal }: Host, pid: number, during: () => Promise<unknown>): Promise<Figure> {
  const strace = Bun.which('strace');
  if (!strace) return { unmeasured: 'strace is not installed' };
  const child = Bun.spawn([strace, '-f', '-c', '-e', 'trace=fsync,fdatasync', '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGINT', // strace detaches from the process and prints its summary
  });
  const output = collect(child.stderr);
  try {
    const attached = await Promise.race([output.seen(/ attached/), child.exited.then(() => false)]);
    if (attached) await during();
  } finally {
    child.kill('SIGINT');
    await child.exited;
  }
  const text = await output.whole;
  return / attached/.test(text) ? callsIn(text) : { unmeasured: text.trim() };
}

function collect(stream: ReadableStream<Uint8Array>) {
  let text = '';
  const watchers: { pattern: RegExp; found: (yes: boolean) => void }[] = [];
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      for (const { pattern, found } of watchers) if (pattern.test(text)) found(true);
    }
    return text;
  };
  const seen = (pattern: RegExp) => new Promise<boolean>((found) => watchers.push({ pattern, found }));
  return { whole: read(), seen };
}

/** A line of the summary: share of time, seconds, µs per call, calls, perhaps errors, name. */
function callsIn(summary: string): number {
  const lines = summary.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?f(?:data)?sync$/gm);
  return [...lines].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
