/** Processor time of processes, from /proc on Linux. */
import { readdirSync } from 'node:fs';
import { readIfThere } from './machine.ts';

const ticksPerSecond = 100; // USER_HZ: the same on every Linux

/**
 * What a process and its children have used so far, those that have ended included, in seconds. NaN where there is no
 * /proc.
 */
export function cpuSecondsOf(pid: number): number {
  const own = statOf(pid);
  if (own === undefined) return Number.NaN;
  const children = allPids()
    .map(statOf)
    .filter((stat) => stat?.parent === pid);
  return [own, ...children].reduce((sum, stat) => sum + (stat?.ticks ?? 0), 0) / ticksPerSecond;
}

/** How long the cores of this machine had nothing to do so far or waited for a disk, added up, in seconds. */
export function idleSeconds(): number {
  const fields = /^cpu +(.*)$/m.exec(readIfThere('/proc/stat') ?? '')?.[1]?.split(' ');
  return fields === undefined ? Number.NaN : ticksIn(fields.slice(3, 5)) / ticksPerSecond; // idle, iowait
}

interface Stat {
  readonly parent: number;
  /** Of the process and of its children that have ended. */
  readonly ticks: number;
}

/** Undefined when it has ended. */
function statOf(pid: number): Stat | undefined {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
  return { parent: Number(fields[1]), ticks: ticksIn(fields.slice(11, 15)) }; // utime, stime, cutime, cstime
}

const ticksIn = (fields: readonly string[]) => fields.reduce((sum, field) => sum + Number(field), 0);

const allPids = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
