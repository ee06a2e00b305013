/** A disk whose syncs take longer: `slow-sync.c`, compiled here and loaded into the service. */
import { join } from 'node:path';
import type { Host } from '../machine/processes.ts';
import { runCommand } from './command.ts';

/** The shared object that is preloaded, or why there is none. */
export type SlowSync = { readonly shim: string } | { readonly unmeasured: string };

export async function compileSlowSync(host: Host, folder: string): Promise<SlowSync> {
  if (process.platform !== 'linux') return { unmeasured: 'slow disks are made on Linux only' };
  const compiler = Bun.which('cc');
  if (compiler === null) return { unmeasured: 'there is no C compiler (cc)' };
  const shim = join(folder, 'slow-sync.so');
  const source = join(import.meta.dir, 'slow-sync.c');
  await runCommand(host, [compiler, '-shared', '-fPIC', '-O2', '-o', shim, source]);
  return { shim };
}

/** What a program is started with so that each of its `fsync` and `fdatasync` takes `ms` longer. */
export const slowSyncEnvironment = (shim: string, ms: number) => ({
  LD_PRELOAD: shim,
  SYNC_DELAY_US: String(ms * 1000),
});
