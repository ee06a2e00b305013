/** What other programs of SQLite, and `touch`, do to the files of a running service: it goes on, or says why not. */
import { expect, test } from 'bun:test';
import { utimesSync } from 'node:fs';
import { migrations } from '../../src/store/sqlite/sqlite-migrations.ts';
import * as storeMessage from '../../src/store/store-messages.ts';
import { eventually } from '../support/eventually.ts';
import { draft, jsonBody, noteIn, notesIn, startService } from '../support/service.ts';
import { inject, obstacleToInjection } from '../support/system/strace.ts';
import { integrityOf, temporaryDatabase } from './database.ts';
import { startOtherProgram } from './other.ts';
import { report, reportSkipped } from './report.ts';

const reason = obstacleToInjection();
if (reason !== undefined) reportSkipped(29, `a slow checkpoint: ${reason}`);

const theirs = 3_000;

test.skipIf(reason !== undefined)('beside a slow checkpoint of another program the service goes on', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);
  const url = `${service.url}/api/notes`;
  await using other = startOtherProgram(database.path);
  await using slowness = await inject(other.pid, {
    calls: 'pwrite64',
    effect: 'delay_exit=1500', // µs
    files: [database.path],
  });
  let isOver = false;

  const inserting = other
    .run(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${theirs})
        INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
        SELECT 'Theirs', hex(randomblob(3000)), 'css', 'first', 'info', 1, 1 FROM numbers`)
    .finally(() => {
      isOver = true;
    });
  let created = 0;
  for (; !isOver; created++) {
    await noteIn(fetch(url, jsonBody(draft())));
    await Bun.sleep(20);
  }
  await inserting;

  const delayed = (await slowness.stop()).length;
  report(29, `a checkpoint with ${delayed} delayed writes: ${created} creates meanwhile, all answered`);
  expect(delayed).toBeGreaterThan(1_000);
  expect(created).toBeGreaterThan(10);
  expect(await notesIn(fetch(url))).toHaveLength(theirs + created);
  expect(await service.stop()).toBe(0);
  expect(integrityOf(database.path)).toBe('ok');
});

test('a service goes on when its database file is touched', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);
  const url = `${service.url}/api/notes`;
  await noteIn(fetch(url, jsonBody(draft())));

  utimesSync(database.path, new Date(), new Date());
  await Bun.sleep(1_500); // files are looked at once a second

  expect(service.process.exitCode).toBeNull();
  await noteIn(fetch(url, jsonBody(draft())));
  expect(await notesIn(fetch(url))).toHaveLength(2);
  expect(await service.stop()).toBe(0);
});

test.each([
  ['PRAGMA user_version = 99', `PRAGMA user_version = ${migrations.length}`, storeMessage.schemaChanged(99)],
  ['BEGIN IMMEDIATE', 'ROLLBACK', storeMessage.writesRejected],
])(
  'within 2.5 s after %s the service says that it is not ready and why, and then that it is',
  async (harm, mend, reason) => {
    using database = temporaryDatabase();
    await using service = await startService(database.settings);
    await using other = startOtherProgram(database.path);
    const ready = () => fetch(`${service.url}/readyz`);
    const untilReady = async (status: number) => {
      const started = performance.now();
      expect(await eventually(async () => (await ready()).status === status)).toBe(true);
      return performance.now() - started;
    };
    await untilReady(200);

    await other.run(harm);
    expect(await untilReady(503)).toBeLessThan(2_500);
    expect(await (await ready()).json()).toEqual({ error: reason });
    const said = () => service.log.filter((line) => line.includes('Not ready')).length;
    expect(await eventually(() => said() > 0)).toBe(true);
    expect(said()).toBe(1);
    await other.run(mend);
    expect(await untilReady(200)).toBeLessThan(2_500);
    await noteIn(fetch(`${service.url}/api/notes`, jsonBody(draft())));
  },
);
