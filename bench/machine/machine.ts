/** The machine that is measured on: what it is, where its disk is, and what its processes hold. */
import { Database } from 'bun:sqlite';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { arch, cpus, platform, release, tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { decimal, type Figure } from '../output/figure.ts';

export function describeMachine(): string {
  const cores = cpus();
  const memory = decimal(totalmem() / 2 ** 30, 1);
  return `${cores[0]?.model ?? 'unknown CPU'}, ${cores.length} cores, ${memory} GB, ${platform()} ${release()} ${arch()}`;
}

export function describeVersions(generator: string): string {
  using db = new Database(':memory:');
  const version = db.prepare<{ version: string }, []>('SELECT sqlite_version() AS version').all()[0]?.version;
  return `Bun ${Bun.version}, ${generator}, SQLite ${version ?? 'unknown'}`;
}

/** A folder for one run that is on a disk, removed in the end. Memory would make every fsync free. */
export function createDiskFolder(): Disposable & { readonly path: string; readonly fileSystem: string } {
  const homes = [tmpdir(), '/var/tmp', import.meta.dir].map((path) => ({ path, fileSystem: fileSystemOf(path) }));
  const home = homes.find(({ fileSystem }) => fileSystem !== 'tmpfs' && fileSystem !== 'ramfs');
  if (home === undefined) throw new Error(`There is no disk behind ${homes.map(({ path }) => path).join(', ')}`);
  const path = mkdtempSync(join(home.path, 'notes-bench-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  return { path, fileSystem: home.fileSystem, [Symbol.dispose]: remove };
}

/** The type of the nearest mount above a path. Only on Linux, which lists mounts in a file. */
export function fileSystemOf(path: string): string {
  const mounts = readIfThere('/proc/self/mounts') ?? '';
  const above = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, point = '', type = '']) => ({ point, type }))
    .filter(({ point }) => point !== '' && !relative(point, path).startsWith('..'));
  return above.toSorted((one, other) => other.point.length - one.point.length)[0]?.type ?? 'unknown file system';
}

/** Resident memory of a process, in MB of 2^20 bytes. */
export function residentMemory(pid: number): Figure {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? { unmeasured: 'this system has no /proc' } : Number(kilobytes) / 1024;
}

/** The text of a file; undefined when there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
