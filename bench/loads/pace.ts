/** Runs `paced.ts` while something else is measured. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readLines } from '../../test/support/service.ts';
import type { Host } from '../machine/processes.ts';

/** What `paced.ts` prints in the end. */
const Paced = z.object({ sent: z.int(), failed: z.int(), seconds: z.number() });
export type Paced = z.infer<typeof Paced>;

/** Sends the calls on `tape` to `url`, `perSecond` of them, while `during` runs. */
export async function pacedWhile<Result>(
  { signal }: Host,
  pace: { readonly url: string; readonly tape: string; readonly perSecond: number },
  during: () => Promise<Result>,
): Promise<{ result: Result; paced: Paced }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'paced.ts'), JSON.stringify(pace)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  });
  const lines: string[] = [];
  const begun = Promise.withResolvers<void>();
  const reading = readLines(child.stdout, (line) => {
    lines.push(line);
    begun.resolve();
  });
  const early = child.exited.then((code) => Promise.reject(new Error(`The paced writer ended with ${code}`)));
  early.catch(() => {});
  try {
    await Promise.race([begun.promise, early]);
    const result = await during();
    child.kill('SIGTERM');
    await reading;
    return { result, paced: Paced.parse(JSON.parse(lines.at(-1) ?? '')) };
  } finally {
    child.kill('SIGKILL');
  }
}
