/** Checkpoints keep the write-ahead log small while clients write. */
import { expect, test } from 'bun:test';
import { Load } from '../support/http/load.ts';
import { seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { sizeOf, temporaryDatabase } from './database.ts';
import { report } from './report.ts';

const creates = scaled(100_000, 20_000);
const megabyte = 2 ** 20;

test(`over ${creates} creates by 64 clients, the write-ahead log stays within 16 MB`, async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);
  const load = new Load(seeded(seed), 'unknown', { creates: 10, lengths: [400] });
  const sizes: number[] = [];
  const sampling = setInterval(() => sizes.push(sizeOf(`${database.path}-wal`)), 5);

  await load.during(() => load.reach(creates), service);
  clearInterval(sampling);

  const largest = Math.max(...sizes);
  report(5, `${load.acknowledged} creates, log ${(largest / megabyte).toFixed(1)} MB at most in ${sizes.length} looks`);
  expect(largest).toBeGreaterThan(0);
  expect(largest).toBeLessThanOrEqual(16 * megabyte);
  expect(load.acknowledged).toBeGreaterThanOrEqual(creates);
  await load.verify(service);
}, 60_000);
