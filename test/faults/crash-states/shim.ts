import { join } from 'node:path';
import { temporaryFolder } from '../../support/service.ts';

/** Compiles C to a library for `LD_PRELOAD`; returns its path in `folder`. Throws with the message of cc. */
export function compileShim(source: string, folder: string): string {
  const library = join(folder, 'shim.so');
  const { success, stderr } = Bun.spawnSync([
    'cc',
    '-shared',
    '-fPIC',
    '-O2',
    '-o',
    library,
    source,
    '-ldl',
    '-lpthread',
  ]);
  if (!success) throw new Error(`cc: ${stderr.toString().trim()}`);
  return library;
}

/** Why no program can run with this shim; undefined if one can. */
export function obstacleToShim(source: string): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (Bun.which('cc') === null) return 'cc is not installed';
  using folder = temporaryFolder();
  try {
    compileShim(source, folder.path);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
