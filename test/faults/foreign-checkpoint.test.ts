/** What other programs of SQLite, and `touch`, do to the files of a running service: it goes on, or says why not. */
import { expect, test } from 'bun:test';
import { utimesSync } from 'node:fs';
import { migrations } from '../../src/store/sqlite/sqlite-migrations.ts';
import * as storeMessage from '../../src/store/store-messages.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { createDraft } from '../support/sample-notes.ts';
import { createJsonRequest, readNoteBody, readNotesBody, startService } from '../support/service.ts';
import { findObstacleToInjection, injectFault } from '../support/system/strace.ts';
import { createTemporaryDatabase, readIntegrityCheck } from './database.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';
import { startOtherProgram } from './start-other-program.ts';

const reason = findObstacleToInjection();
if (reason !== undefined) printAndRecordSkippedFault(29, `a slow checkpoint: ${reason}`);

const theirs = 3_000;

test.skipIf(reason !== undefined)('beside a slow checkpoint of another program the service goes on', async () => {
  using database = createTemporaryDatabase();
  await using service = await startService(database.settings);
  const url = `${service.url}/api/notes`;
  await using other = startOtherProgram(database.path);
  await using slowness = await injectFault(other.pid, {
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
    await readNoteBody(fetch(url, createJsonRequest(createDraft())));
    await Bun.sleep(20);
  }
  await inserting;

  const delayed = (await slowness.stop()).length;
  reportFigures(29, `a checkpoint with ${delayed} delayed writes: ${created} creates meanwhile, all answered`);
  expect(delayed).toBeGreaterThan(1_000);
  expect(created).toBeGreaterThan(10);
  expect(await readNotesBody(fetch(url))).toHaveLength(theirs + created);
  expect(await service.stop()).toBe(0);
  expect(readIntegrityCheck(database.path)).toBe('ok');
});

test('a service goes on when its database file is touched', async () => {
  using database = createTemporaryDatabase();
  await using service = await startService(database.settings);
  const url = `${service.url}/api/notes`;
  await readNoteBody(fetch(url, createJsonRequest(createDraft())));

  utimesSync(database.path, new Date(), new Date());
  await Bun.sleep(1_500); // files are looked at once a second

  expect(service.process.exitCode).toBeNull();
  await readNoteBody(fetch(url, createJsonRequest(createDraft())));
  expect(await readNotesBody(fetch(url))).toHaveLength(2);
  expect(await service.stop()).toBe(0);
});

test.each([
  ['PRAGMA user_version = 99', `PRAGMA user_version = ${migrations.length}`, storeMessage.schemaChanged(99)],
  ['BEGIN IMMEDIATE', 'ROLLBACK', storeMessage.writesRejected],
])(
  'within 2.5 s after %s the service says that it is not ready and why, and then that it is',
  async (harm, mend, reason) => {
    using database = createTemporaryDatabase();
    await using service = await startService(database.settings);
    await using other = startOtherProgram(database.path);
    const ready = () => fetch(`${service.url}/readyz`);
    const untilReady = async (status: number) => {
      const started = performance.now();
      expect(await isEventuallyTrue(async () => (await ready()).status === status)).toBe(true);
      return performance.now() - started;
    };
    await untilReady(200);

    await other.run(harm);
    expect(await untilReady(503)).toBeLessThan(2_500);
    expect(await (await ready()).json()).toEqual({ error: reason });
    const said = () => service.log.filter((line) => line.includes('Not ready')).length;
    expect(await isEventuallyTrue(() => said() > 0)).toBe(true);
    expect(said()).toBe(1);
    await other.run(mend);
    expect(await untilReady(200)).toBeLessThan(2_500);
    await readNoteBody(fetch(`${service.url}/api/notes`, createJsonRequest(createDraft())));
  },
);
