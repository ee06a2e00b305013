/** Repeated backups under full load. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createBackup } from '../../src/store/sqlite/backup/create-backup.ts';
import { scaled } from '../support/scale.ts';
import { draft, jsonBody, noteIn, startService } from '../support/service.ts';
import { temporaryDatabase } from './database.ts';
import { report } from './report.ts';

const backups = scaled(200, 20);

test('each backup of a service under load holds all that was answered before it', async () => {
  using database = temporaryDatabase();
  await using service = await startService(database.settings);
  let last = 0;
  let goesOn = true;
  const writers = Array.from({ length: 32 }, async () => {
    while (goesOn) last = Math.max(last, (await noteIn(fetch(`${service.url}/api/notes`, jsonBody(draft())))).id);
  });

  let missing = 0;
  for (let round = 0; round < backups; round++) {
    const answered = last;
    const { path, notes } = await createBackup(database.path, `${database.path}.copy`, { replaces: true });
    missing += Math.max(0, answered - notes);
    rmSync(path);
  }
  goesOn = false;
  await Promise.all(writers);

  report(27, `${backups} backups beside ${last} creates: ${missing} answered notes missing`);
  expect(missing).toBe(0);
});
