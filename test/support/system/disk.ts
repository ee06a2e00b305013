/** Disks mounted by tests; needs root on Linux. */
import { statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { createTemporaryFolder } from '../service.ts';

export interface Disk extends Disposable {
  /** Where it is mounted. */
  readonly path: string;
}

/** Tests that time out do not dispose of their disk. */
const mounted = new Set<Disk>();

/** For `afterAll`. */
export function unmountAllDisks(): void {
  for (const disk of mounted) disk[Symbol.dispose]();
}

/** A disk in memory. Throws if this process may not mount one. */
export const mountMemoryDisk = (megabytes: number): Disk =>
  mountOrThrow('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'notes-test');

/** Creates an image of an empty disk of this many MB, without a journal. It takes space when it is written to. */
export function createFileSystemImage(image: string, megabytes: number): void {
  writeFileSync(image, '');
  truncateSync(image, megabytes * 2 ** 20);
  runProgramSyncOrThrow('mkfs.ext4', '-q', '-O', '^has_journal', image);
}

/** A disk in a file. Throws if this process may not mount one. */
export const mountImageDisk = (image: string): Disk => mountOrThrow('-o', 'loop', image);

/** Resizes a disk in memory so that this many MB are free. */
export function resizeMemoryDiskToFreeMegabytes({ path }: Disk, megabytes: number): void {
  const { blocks, bfree, bsize } = statfsSync(path);
  const size = Math.ceil(((blocks - bfree) * bsize) / 2 ** 20) + megabytes;
  runProgramSyncOrThrow('mount', '-o', `remount,size=${size}m`, path);
}

export const remountReadOnly = ({ path }: Disk) => runProgramSyncOrThrow('mount', '-o', 'remount,ro', path);

function mountOrThrow(...options: string[]): Disk {
  const folder = createTemporaryFolder();
  try {
    runProgramSyncOrThrow('mount', ...options, folder.path);
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
  const disk = {
    path: folder.path,
    [Symbol.dispose]() {
      if (mounted.delete(disk)) Bun.spawnSync(['umount', '--lazy', folder.path]);
      folder[Symbol.dispose]();
    },
  };
  mounted.add(disk);
  return disk;
}

/** Runs a program. Throws with its output on failure. */
export function runProgramSyncOrThrow(...command: [string, ...string[]]): void {
  if (Bun.which(command[0]) === null) throw new Error(`${command[0]} is not installed`);
  const { success, stderr } = Bun.spawnSync(command);
  if (!success) throw new Error(`${command[0]}: ${stderr.toString().trim()}`);
}

/** Why an attempt fails; undefined if it succeeds. */
export function tryAndFindObstacle(attempt: () => void): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export const findObstacleToMounting = () => tryAndFindObstacle(() => mountMemoryDisk(8)[Symbol.dispose]());
