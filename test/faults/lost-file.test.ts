/** A file of the database is deleted; SQLite alone would keep writing to the old one. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { startService } from '../support/service.ts';
import { temporaryDatabase } from './database.ts';
import { report } from './report.ts';

test('a service whose lock was deleted ends with 1 within 2 s, though nobody asks for anything', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);
  const started = performance.now();

  rmSync(`${database.path}.lock`);

  expect(await service.process.exited).toBe(1);
  const ms = performance.now() - started;
  expect(service.log.join('\n')).toContain('.lock was deleted or replaced while the service ran');
  report(6, `its lock is deleted: exit code 1 after ${ms.toFixed(0)} ms`);
  expect(ms).toBeLessThan(2_000);
}, 60_000);
