/** `notes doctor` on a PostgreSQL database that works, and on one that hangs. */
import { expect, test } from 'bun:test';
import { startPostgres } from '../support/postgres/server.ts';
import { run, startService } from '../support/service.ts';

test('a database is examined, and one that hangs is a fault within 6 s', async () => {
  await using server = await startPostgres();
  const env = { DATABASE_URL: server.url(), PORT: '0' };
  await using service = await startService(env);
  const well = await run(['doctor'], env);
  await service.stop();
  server.signal('SIGSTOP');
  const started = performance.now();

  const hangs = await run(['doctor'], env);
  const took = performance.now() - started;
  server.signal('SIGCONT');

  expect(well.code).toBe(0);
  expect(well.stdout).toMatch(/\nok +database +postgres:.*PostgreSQL \d+.*, notes can be written\n/);
  expect([hangs.code, took < 6_000]).toEqual([1, true]);
  expect(hangs.stdout).toMatch(/\nfault +database +.*it did not answer in time/);
  expect(well.stdout + hangs.stdout).not.toContain('word-7f3a');
}, 60_000);
