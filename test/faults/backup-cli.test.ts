/** Repeated backups under full load. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createBackup } from '../../src/store/sqlite/backup/create-backup.ts';
import { createDraft } from '../support/sample-notes.ts';
import { pickByScale } from '../support/scale.ts';
import { createJsonRequest, readNoteBody, startService } from '../support/service.ts';
import { createTemporaryDatabase } from './database.ts';
import { reportFigures } from './report.ts';

const backups = pickByScale(200, 20);

test('each backup of a service under load holds all that was answered before it', async () => {
  using database = createTemporaryDatabase();
  await using service = await startService(database.settings);
  let last = 0;
  let goesOn = true;
  const writers = Array.from({ length: 32 }, async () => {
    while (goesOn)
      last = Math.max(
        last,
        (await readNoteBody(fetch(`${service.url}/api/notes`, createJsonRequest(createDraft())))).id,
      );
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

  reportFigures(27, `${backups} backups beside ${last} creates: ${missing} answered notes missing`);
  expect(missing).toBe(0);
});
