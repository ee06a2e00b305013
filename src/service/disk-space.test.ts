import { afterAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findObstacleToMounting,
  mountMemoryDisk,
  resizeMemoryDiskToFreeMegabytes,
  unmountAllDisks,
} from '../../test/support/system/disk.ts';
import { DiskSpaceReporter } from './disk-space.ts';

const reason = findObstacleToMounting();
if (reason !== undefined) console.warn(`Disks with little space are not tried: ${reason}`);
afterAll(unmountAllDisks);

test.skipIf(reason !== undefined)('little space is reported once, until it has recovered', async () => {
  using disk = mountMemoryDisk(16);
  const database = join(disk.path, 'notes.db');
  writeFileSync(database, new Uint8Array(2 ** 20));
  const reports: string[] = [];
  const figures: (number | undefined)[] = [];
  const log = {
    info: (_: object, sentence: string) => void reports.push(`info: ${sentence}`),
    warn: (_: object, sentence: string) => void reports.push(`warn: ${sentence}`),
  };
  const check = new DiskSpaceReporter(database, log, { observeFreeBytes: (bytes) => void figures.push(bytes) });
  const runWith = async (megabytes: number) => {
    resizeMemoryDiskToFreeMegabytes(disk, megabytes);
    reports.length = 0;
    await check.measureAndReportSpace();
    return [...reports];
  };
  const warning =
    'warn: 256.0 MiB are free on the disk of the database. ' +
    'Free some space: backups and migrations copy the database, so 257.0 MiB should be free';

  expect(await runWith(300)).toEqual([]);
  expect(await runWith(256)).toEqual([warning]); // a MiB less than the database and 256 MiB
  expect(await runWith(200)).toEqual([]);
  expect(await runWith(260)).toEqual([]); // not a tenth more
  expect(await runWith(300)).toEqual(['info: 300.0 MiB are free on the disk of the database again']);
  expect(await runWith(256)).toEqual([warning]);
  expect(figures.map((bytes = 0) => bytes / 2 ** 20)).toEqual([300, 256, 200, 260, 300, 256]);
});
