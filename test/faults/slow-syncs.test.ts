/** Each sync of a disk takes long, also those with which SQLite begins its log anew. */
import { expect, test } from 'bun:test';
import { createSlowSyncEnvIfPossible } from '../../bench/tools/programs.ts';
import { createDraft } from '../support/sample-notes.ts';
import { pickByScale } from '../support/scale.ts';
import { createJsonRequest, createTemporaryFolder, startService } from '../support/service.ts';
import { readLogRestartCount } from '../support/stores/log-restarts.ts';
import { openFile } from '../support/stores/open-file.ts';
import { createTemporaryDatabase } from './database.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const syncMs = 2_000;
const beginnings = pickByScale(5, 2);

const folder = createTemporaryFolder();
const slow = await createSlowSyncEnvIfPossible(syncMs, folder.path);
if (slow === undefined) printAndRecordSkippedFault(31, 'it needs Linux and cc');

test.skipIf(slow === undefined)(
  'a service whose log is begun anew answers what needs no disk without waiting for a sync',
  async () => {
    using _folder = folder;
    using database = createTemporaryDatabase();
    await using _existing = await openFile(database.path); // to create it without delays
    await using service = await startService({ ...database.settings, ...slow });
    const countLogs = () => readLogRestartCount(database.path);
    const [first, content] = [countLogs(), 'x'.repeat(1_000_000)];
    let isOver = false;
    let slowest = 0;

    const asking = (async () => {
      for (; !isOver; await Bun.sleep(20)) {
        const asked = performance.now();
        await fetch(`${service.url}/healthz`);
        slowest = Math.max(slowest, performance.now() - asked);
      }
    })();
    while (countLogs() - first < beginnings)
      await Promise.all(
        Array.from({ length: 10 }, () =>
          fetch(`${service.url}/api/notes`, createJsonRequest(createDraft({ content }))),
        ),
      );
    isOver = true;
    await asking;

    reportFigures(
      31,
      `the log begun anew ${countLogs() - first} times, the slowest answer took ${slowest.toFixed(0)} ms`,
    );
    expect(slowest).toBeLessThan(syncMs * 0.75); // more than a busy machine takes, less than a sync
  },
  60_000 + beginnings * 30_000,
);
