/** Disks that tests mount for themselves; this needs root on Linux. */
import { statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from './service.ts';

export interface Disk extends Disposable {
  /** Where it is mounted. */
  readonly path: string;
}

/** A test that takes too long does not come to dispose of its disk. */
const mounted = new Set<Disk>();

/** For `afterAll`. */
export function unmountAll(): void {
  for (const disk of mounted) disk[Symbol.dispose]();
}

/** A disk in memory of so many MB. Throws where this process must not mount one. */
export const mountMemory = (megabytes: number): Disk => mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'notes-test');

/** The file system in an image, behind a loop device: writes reach the image when they are synced, or late. */
export const mountImage = (image: string): Disk => mount('-o', 'loop', image);

/** Makes a file an empty ext4 file system of so many MB. */
export function createImage(image: string, megabytes: number): void {
  writeFileSync(image, '');
  truncateSync(image, megabytes * 2 ** 20);
  run('mkfs.ext4', '-q', '-F', image);
}

/** Leaves so many MB of a disk in memory free, whatever it holds. */
export function leaveRoom({ path }: Disk, megabytes: number): void {
  const { blocks, bfree, bsize } = statfsSync(path);
  const size = Math.ceil(((blocks - bfree) * bsize) / 2 ** 20) + megabytes;
  run('mount', '-o', `remount,size=${size}m`, path);
}

export const remountReadOnly = ({ path }: Disk) => run('mount', '-o', 'remount,ro', path);

function mount(...options: string[]): Disk {
  const folder = temporaryFolder();
  try {
    run('mount', ...options, folder.path);
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

/** Runs a program to its end. Throws what it says when it fails. */
export function run(...command: [string, ...string[]]): void {
  if (Bun.which(command[0]) === null) throw new Error(`${command[0]} is not installed`);
  const { success, stderr } = Bun.spawnSync(command);
  if (!success) throw new Error(`${command[0]}: ${stderr.toString().trim()}`);
}

/** Why this process cannot do what it tries, or undefined when it can. */
export function obstacleTo(attempt: () => void): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export const obstacleToMounting = () => obstacleTo(() => mountMemory(8)[Symbol.dispose]());

/** As above, for images: they need loop devices, which containers often lack. */
export function obstacleToImages(): string | undefined {
  return obstacleTo(() => {
    using folder = temporaryFolder();
    const image = `${folder.path}/disk`;
    createImage(image, 8);
    mountImage(image)[Symbol.dispose]();
  });
}
