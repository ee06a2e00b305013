/** Facts about a running process, from /proc on Linux. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const isLinux = process.platform === 'linux';

interface Process {
  readonly pid: number;
}

const readStatusMegabytes = ({ pid }: Process, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Whether a process has exited, including zombies. */
export function hasExited({ pid }: Process): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Whether a signal was sent to a process that it has not received yet. Elsewhere than on Linux: no. */
export function hasPendingSignals({ pid }: Process): boolean {
  if (!isLinux) return false;
  const pending = readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^(?:SigPnd|ShdPnd):\s+([\da-f]+)$/gm);
  return [...pending].some(([, mask]) => /[1-9a-f]/.test(mask ?? ''));
}

/** Resident memory, in MB. */
export const readResidentMegabytes = (process: Process) => readStatusMegabytes(process, 'VmRSS');

/** Peak resident memory since `resetPeakMemory`, in MB. */
export const readPeakMegabytes = (process: Process) => readStatusMegabytes(process, 'VmHWM');

export const resetPeakMemory = ({ pid }: Process) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** The targets of its open file descriptors. */
export function listOpenFileTargets({ pid }: Process): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((descriptor) => {
    try {
      return [readlinkSync(join(folder, descriptor))];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** The number of its sockets, including the listening one. */
export const countSockets = (process: Process) =>
  listOpenFileTargets(process).filter((name) => name.startsWith('socket:')).length;
