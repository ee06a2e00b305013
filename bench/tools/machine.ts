/** The machine that is measured on: what it is, where its disk is, and what its processes use. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, platform, release, tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';

export function describeMachine(): string {
  const cores = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cores[0]?.model}, ${cores.length} cores, ${gigabytes} GB, ${platform()} ${release()}, Bun ${Bun.version}`;
}

/** A folder on a disk, removed at the end of this process. Memory would make every sync free. */
export function createDiskFolder(): string {
  const home = [tmpdir(), '/var/tmp', import.meta.dir].find((path) => !/^(tmp|ram)fs$/.test(fileSystemOf(path)));
  if (home === undefined) throw new Error('All temporary folders are in memory: let TMPDIR name one on a disk');
  const folder = mkdtempSync(join(home, 'notes-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The type of the nearest mount above a path. Only on Linux, which lists mounts in a file. */
export function fileSystemOf(path: string): string {
  const mounts = readIfThere('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, point = '', type = '']) => ({ point, type }))
    .filter(({ point }) => point !== '' && !relative(point, path).startsWith('..'));
  const [nearest] = mounts.toSorted((one, other) => other.point.length - one.point.length);
  return nearest?.type ?? 'unknown file system';
}

/** Resident memory of a process, in MB of 2^20 bytes. NaN where there is no /proc. */
export function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`))?.[1]) / 1024;
}

const ticksPerSecond = 100; // USER_HZ: the same on every Linux

/** Processor time of processes and their children so far, in seconds. NaN where there is no /proc. */
export function cpuSecondsOf(pids: readonly number[]): number {
  if (platform() !== 'linux') return Number.NaN;
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger).map(readStat);
  const own = all.filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent));
  return own.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
}

/** `ticks` include those of children that have ended. */
function readStat(pid: number): { pid: number; parent: number; ticks: number } {
  const text = readIfThere(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
  const times = fields.slice(11, 15); // utime, stime, cutime, cstime
  return { pid, parent: Number(fields[1]), ticks: times.reduce((sum, time) => sum + Number(time), 0) };
}

/** Empty when there is no such file. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
