/** A disk on which no sync of a write-ahead log begins, until the test lets it: by a library in front of libc. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgramSyncOrThrow } from './disk.ts';

/** Why no sync can be held here; undefined if it can be. */
export const findObstacleToHeldSyncs = () =>
  process.platform === 'linux' && Bun.which('cc') !== null ? undefined : 'it needs Linux and a C compiler';

export interface HeldSyncs {
  /** Settings of the programs whose syncs wait. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on, syncs wait. */
  hold(): void;
  /** The processes that wait for a sync. */
  waiting(): readonly number[];
  /** Lets all syncs begin. */
  release(): void;
}

/** Builds the library in a folder. */
export function createHeldSyncs(folder: string): HeldSyncs {
  const library = join(folder, 'held-sync.so');
  const hold = join(folder, 'held');
  runProgramSyncOrThrow('cc', '-shared', '-fPIC', '-O2', '-o', library, join(import.meta.dir, 'held-sync.c'));
  return {
    env: { LD_PRELOAD: library, HELD_SYNC: hold },
    hold: () => writeFileSync(hold, ''),
    waiting: () => readFileSync(hold, 'utf8').trim().split('\n').map(Number),
    release: () => rmSync(hold, { force: true }),
  };
}
