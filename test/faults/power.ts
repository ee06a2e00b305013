import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createImage, type Disk, mountImage, run } from '../support/system/disk.ts';

const megabytes = 512;

interface Killable {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
}

/**
 * A disk whose power can be cut: a file system in an image. The image has only synced writes, others are in the memory
 * of the kernel; so a copy of the image is the state after a power cut.
 */
export class FragileDisk implements Disposable {
  readonly #folder = mkdtempSync(join(homeOfImages(), 'notes-test-'));
  #images = 1;
  #isCut = false;
  #disk: Disk;

  constructor() {
    createImage(this.#image, megabytes);
    this.#disk = mountImage(this.#image);
  }

  /** The path of the database, which changes with each power cut. */
  get database(): string {
    return join(this.#disk.path, 'notes.db');
  }

  /** Freezes a process, copies the image, and kills the process. Throws if the process went on meanwhile. */
  cutPower(process: Killable): void {
    process.kill('SIGSTOP');
    waitUntilFrozen(process.pid);
    const before = processorTime(process.pid);
    this.#copyImage();
    if (processorTime(process.pid) !== before) throw new Error('The process ran while the image was copied');
    process.kill('SIGKILL');
  }

  /** Mounts the state after a power cut, or, without processes, the state that one would leave now. */
  restorePower(): void {
    if (!this.#isCut) this.#copyImage();
    this.#isCut = false;
    this.#disk[Symbol.dispose]();
    this.#disk = mountImage(this.#image);
  }

  #copyImage(): void {
    const image = this.#image;
    this.#images++;
    run('cp', '--sparse=always', image, this.#image);
    run('cmp', image, this.#image);
    this.#isCut = true;
  }

  [Symbol.dispose](): void {
    this.#disk[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true });
  }

  get #image(): string {
    return join(this.#folder, `image-${this.#images}`);
  }
}

/** In memory if there is enough: copies are fast, and synced writes are the same. */
function homeOfImages(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 4 * megabytes * 2 ** 20 ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** A stopped thread is in state T, or t under strace, whose other stops are as short as a system call. */
function waitUntilFrozen(pid: number): void {
  for (let looks = 0; looks < 5; looks++) {
    Bun.sleepSync(2);
    if (!threadsOf(pid).every((stat) => /\) [Tt] /.test(stat))) looks = 0;
  }
}

/** The `utime` and `stime` of proc(5), of all threads. */
const processorTime = (pid: number) => threadsOf(pid).map(timesIn).join();

const timesIn = (stat: string) => stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).join();

function threadsOf(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((thread) => readFileSync(join(tasks, thread, 'stat'), 'utf8'));
}
