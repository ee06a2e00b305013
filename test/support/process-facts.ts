/** What Linux tells of a process that runs. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const isLinux = process.platform === 'linux';

interface Process {
  readonly pid: number;
}

const statusOf = ({ pid }: Process, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Resident memory, in MB. */
export const residentMb = (process: Process) => statusOf(process, 'VmRSS');

/** The most resident memory since `forgetPeak`, in MB. */
export const peakMb = (process: Process) => statusOf(process, 'VmHWM');

export const forgetPeak = ({ pid }: Process) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** What its descriptors are open on, one name each. */
export function descriptors({ pid }: Process): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((descriptor) => {
    try {
      return [readlinkSync(join(folder, descriptor))];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** How many connections it holds, the one that it listens at included. */
export const sockets = (process: Process) => descriptors(process).filter((name) => name.startsWith('socket:')).length;
