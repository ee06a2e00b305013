import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import { CheckpointScheduler, countLogPages } from './checkpoint-scheduler.ts';

test('a checkpoint that ends while a transaction is open is followed by others', async () => {
  using folder = createTemporaryFolder();
  using db = new Database(join(folder.path, 'notes.db'));
  db.run('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE notes (content BLOB)');
  const commitNineMegabytes = () => db.run('INSERT INTO notes VALUES (zeroblob(9_000_000))');
  const scheduler = new CheckpointScheduler(db);
  commitNineMegabytes();
  const isFirstDue = scheduler.countPagesAndDecideIfDue();

  await scheduler.runCheckpointSteps({
    copyPages: async () => {
      db.run('PRAGMA wal_checkpoint(PASSIVE)');
      const counts = countLogPages(db);
      db.run('BEGIN IMMEDIATE'); // an import that gives way to other requests
      return counts;
    },
    syncCopiedPages: async () => {},
    restart: async () => {},
  });
  db.run('COMMIT');
  commitNineMegabytes();
  await Bun.sleep(30); // the pages are counted at most every 20 ms

  expect([isFirstDue, scheduler.countPagesAndDecideIfDue()]).toEqual([true, true]);
});
