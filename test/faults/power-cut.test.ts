/**
 * Power cuts at any moment of recorded runs: what is synced is on disk, of the rest anything may be. The store opens
 * each such image of the disk, and has what it answered and showed by then.
 */
import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSeededRandom, seed } from '../support/random.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { createTemporaryFolder } from '../support/service.ts';
import { findObstacleToInjection } from '../support/system/strace.ts';
import { Disk, kept } from './power-cut/disk.ts';
import { examineImagesAfterPowerCuts } from './power-cut/examine.ts';
import { marksFile } from './power-cut/marks.ts';
import { type Operation, recordProgram } from './power-cut/recording.ts';
import type { Writing } from './power-cut/writer.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const reason = findObstacleToInjection();
if (reason !== undefined) printAndRecordSkippedFault(2, reason);

const images = pickByScale(1_500, 120);
/** Of a database and a log that are large. */
const largeImages = pickByScale(400, 60);
type Part = Pick<Writing, 'writes' | 'restarts' | 'lengths' | 'end'>;

const small = {
  writes: pickByScale(600, 150),
  restarts: 0,
  lengths: [0, 100, 400, 3_000, 20_000],
  end: 'close',
} as const;
/** The log is copied every 8 MiB, and begun anew after 64 MiB. */
const large = {
  writes: pickByScale(1_400, 700),
  restarts: 1,
  lengths: [20_000, 100_000, 200_000],
  end: 'close',
} as const;
const killed = { ...small, end: 'kill' } as const;
/** Ended by the first sync that fails. */
const failed = { ...small, end: 'failed sync' } as const;

/** Records programs that open the store one after the other. */
async function recordOperations(parts: readonly Part[], maxVersions: number): Promise<readonly Operation[]> {
  using home = createTemporaryFolder();
  const folder = join(home.path, 'recorded');
  mkdirSync(folder);
  const operations: Operation[] = [];
  const random = createSeededRandom(seed);
  const writer = join(import.meta.dir, 'power-cut', 'writer.ts');
  for (const [index, part] of parts.entries()) {
    const writing: Writing = { folder, name: `${index}`, seed: seed + 100 * index, maxVersions, ...part };
    const failingSync = part.end === 'failed sync' ? 5 + random.below(pickByScale(100, 20)) : undefined;
    const command = [process.execPath, writer, JSON.stringify(writing)];
    await recordProgram(folder, { command, failingSync }, operations);
  }
  const disk = new Disk();
  for (const operation of operations) disk.apply(operation);
  const image = disk.image(() => kept);
  image.delete(marksFile);
  for (const [file, bytes] of image) expect(readFileSync(join(folder, file)).equals(bytes)).toBe(true);
  return operations;
}

/** How often the log was begun, also anew. */
const beginnings = (operations: readonly Operation[]) =>
  operations.filter((one) => one.kind === 'write' && one.name === 'notes.db-wal' && one.offset === 0).length;

test.skipIf(reason !== undefined).each<[string, readonly Part[], count: number, maxVersions: number, minLogs: number]>([
  ['stops and starts', [small, small, small], images, 100, 3],
  ['kills and starts', [killed, killed, killed, small], images, 100, 1], // a kill leaves the log
  ['failed syncs and starts', [failed, small, failed, failed, small], images, 100, 1],
  ['checkpoints, logs begun anew and versions dropped', [large], largeImages, 3, 2],
])(
  'after a power cut at any moment of %s, all that was answered or shown by then is there',
  async (name, parts, count, maxVersions, minLogs) => {
    const operations = await recordOperations(parts, maxVersions);

    const { images: seen, broken } = await examineImagesAfterPowerCuts(operations, {
      count,
      random: createSeededRandom(seed),
      maxVersions,
    });

    const figures = `${operations.length} operations, the log begun ${beginnings(operations)} times, ${seen} images`;
    reportFigures(2, `${name}: ${figures}, ${broken.length} broken`);
    expect(broken.slice(0, 5)).toEqual([]);
    expect(beginnings(operations)).toBeGreaterThanOrEqual(minLogs);
  },
  longRunMs,
);

test.skipIf(reason !== undefined)('a store whose log is never synced loses what it answered', async () => {
  const operations = await recordOperations([small], 100);
  const isOfLog = (operation: Operation) => operation.kind === 'sync' && operation.name === 'notes.db-wal';

  const nothing = { kind: 'mark', mark: { kind: 'read', states: [] } } satisfies Operation;
  const unsynced = operations.map((operation) => (isOfLog(operation) ? nothing : operation));
  const { images: seen, broken } = await examineImagesAfterPowerCuts(unsynced, {
    count: 60,
    random: createSeededRandom(seed),
    maxVersions: 100,
  });

  const lost = broken.filter((breach) => breach.includes('is lost'));
  reportFigures(2, `control, without syncs of the log: ${lost.length} states lost in ${seen} images`);
  expect(lost).not.toEqual([]);
});
