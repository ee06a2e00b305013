import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { singleFlight } from '../core/concurrency.ts';
import { formatByteSize } from '../core/text/format-counts.ts';
import { getErrorCodeOrEmpty } from '../core/thrown-errors.ts';
import type { Metrics } from './http/metrics.ts';
import type { Log } from './log.ts';

/**
 * A database should have this many free bytes on its disk besides a copy of itself, as backups and migrations make one.
 * At 64 MiB, backups are abandoned and writes may fail: the warning comes earlier.
 */
const reserveBytes = 256 * 2 ** 20;

export interface DiskSpace {
  /** Users without privileges may still write this much to the disk of the database. */
  readonly freeBytes: number;
  /** Below this, the space is low. */
  readonly wantedBytes: number;
}

/** Reads the space on the disk of a database file, which may be missing. Throws if its folder is, too. */
export async function readFreeAndWantedSpace(path: string): Promise<DiskSpace> {
  const file = await stat(path).catch((error) => {
    if (getErrorCodeOrEmpty(error) !== 'ENOENT') throw error;
  });
  const { bavail, bsize } = await statfs(file === undefined ? dirname(path) : path);
  return { freeBytes: bavail * bsize, wantedBytes: (file?.size ?? 0) + reserveBytes };
}

/** Finds that the space on the disk of a database file has become low. It stays low until a tenth more is free. */
export class DiskSpaceReporter {
  readonly #path: string;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #metrics: Pick<Metrics, 'observeFreeBytes'>;
  #isLow = false;

  constructor(path: string, log: Pick<Log, 'info' | 'warn'>, metrics: Pick<Metrics, 'observeFreeBytes'>) {
    this.#path = path;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Updates the metric, and logs when the space becomes low and when it has recovered. */
  async measureAndReportSpace(): Promise<void> {
    const space = await readFreeAndWantedSpace(this.#path).catch(() => undefined); // the store notices a lost folder
    this.#metrics.observeFreeBytes(space?.freeBytes);
    if (space === undefined) return;
    const { freeBytes, wantedBytes } = space;
    if (!this.#isLow && freeBytes < wantedBytes) {
      this.#isLow = true;
      this.#log.warn(
        space,
        `${formatByteSize(freeBytes)} are free on the disk of the database. ${formatWantedSpaceAdvice(space)}`,
      );
    } else if (this.#isLow && freeBytes > wantedBytes * 1.1) {
      this.#isLow = false;
      this.#log.info(space, `${formatByteSize(freeBytes)} are free on the disk of the database again`);
    }
  }
}

/** Formats a sentence that says how much should be free, and why. */
export const formatWantedSpaceAdvice = ({ wantedBytes }: DiskSpace) =>
  `Free some space: backups and migrations copy the database, so ${formatByteSize(wantedBytes)} should be free`;

const checkIntervalMs = 60_000;

/** Checks the disk of a database file at once and then every minute, until disposed. */
export function startDiskSpaceChecks(check: DiskSpaceReporter): Disposable {
  const run = singleFlight(() => check.measureAndReportSpace()); // a disk that hangs blocks one thread of the pool, not all
  void run();
  const timer = setInterval(run, checkIntervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
