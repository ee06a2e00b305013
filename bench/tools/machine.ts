/** The machine that is measured on: what it is, where its disk is, and what its processes use. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, platform, release, tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';

export function describeMachine(): string {
  const cores = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cores[0]?.model}, ${cores.length} cores, ${gigabytes} GB, ${platform()} ${release()}, Bun ${Bun.version}`;
}

/** Creates a folder on a disk, which is removed at the end of this process. In memory, every sync would be free. */
export function createDiskFolder(): string {
  const home = [tmpdir(), '/var/tmp', import.meta.dir].find((path) => !/^(tmp|ram)fs$/.test(findFileSystemType(path)));
  if (home === undefined) throw new Error('All temporary folders are in memory: let TMPDIR name one on a disk');
  const folder = mkdtempSync(join(home, 'notes-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Finds the type of the nearest mount above a path. This works on Linux only, which lists mounts in a file. */
export function findFileSystemType(path: string): string {
  const mounts = readFileOrEmpty('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, point = '', type = '']) => ({ point, type }))
    .filter(({ point }) => point !== '' && !relative(point, path).startsWith('..'));
  const [nearest] = mounts.toSorted((one, other) => other.point.length - one.point.length);
  return nearest?.type ?? 'unknown file system';
}

/** Returns the resident memory of a process in MB of 2^20 bytes, or NaN where there is no /proc. */
export function readResidentMegabytesOrNaN(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileOrEmpty(`/proc/${pid}/status`))?.[1]) / 1024;
}

const ticksPerSecond = 100; // USER_HZ: the same on every Linux

/** Returns the processor time of processes and their children until now in seconds, or NaN where there is no /proc. */
export function readCpuSecondsWithChildren(pids: readonly number[]): number {
  if (platform() !== 'linux') return Number.NaN;
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger).map(readProcessStat);
  const own = all.filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent));
  return own.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
}

/** Returns the processor time of the main thread of a process, and that of its other threads, until now in seconds. */
export function readThreadCpuSeconds(pid: number): { readonly main: number; readonly others: number } {
  const threads = readdirSync(`/proc/${pid}/task`).map((id) => readProcessStat(`${pid}/task/${id}`));
  const main = threads.find((thread) => thread.pid === pid)?.ticks ?? Number.NaN;
  const all = threads.reduce((sum, { ticks }) => sum + ticks, 0);
  return { main: main / ticksPerSecond, others: (all - main) / ticksPerSecond };
}

/** Of a process or a thread, by its path below /proc. `ticks` include those of children that have ended. */
function readProcessStat(path: string | number): { pid: number; parent: number; ticks: number } {
  const text = readFileOrEmpty(`/proc/${path}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
  const times = fields.slice(11, 15); // utime, stime, cutime, cstime
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(fields[1]),
    ticks: times.reduce((sum, time) => sum + Number(time), 0),
  };
}

/** Returns an empty text if there is no such file. */
function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
