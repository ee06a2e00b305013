/** Each sync of a disk takes long, also those with which SQLite begins its log anew. */
import { expect, test } from 'bun:test';
import { openSync, readSync } from 'node:fs';
import { slowSyncs } from '../../bench/tools/programs.ts';
import { scaled } from '../support/scale.ts';
import { draft, jsonBody, startService, temporaryFolder } from '../support/service.ts';
import { openFile } from '../support/stores/open-file.ts';
import { temporaryDatabase } from './database.ts';
import { report, reportSkipped } from './report.ts';

const syncMs = 2_000;
const beginnings = scaled(5, 2);

const folder = temporaryFolder();
const slow = await slowSyncs(syncMs, folder.path);
if (slow === undefined) reportSkipped(31, 'it needs Linux and cc');

/** How often the log was begun anew: https://www.sqlite.org/fileformat2.html#walformat */
function createLogCounter(path: string): () => number {
  const log = openSync(`${path}-wal`, 'r');
  return () => {
    const header = Buffer.alloc(32);
    readSync(log, header, 0, header.length, 0);
    return header.readUInt32BE(12);
  };
}

test.skipIf(slow === undefined)(
  'a service whose log is begun anew answers what needs no disk without waiting for a sync',
  async () => {
    using _folder = folder;
    using database = temporaryDatabase();
    await using _existing = await openFile(database.path); // to create it without delays
    await using service = await startService({ ...database.settings, ...slow });
    const countLogs = createLogCounter(database.path);
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
        Array.from({ length: 10 }, () => fetch(`${service.url}/api/notes`, jsonBody(draft({ content })))),
      );
    isOver = true;
    await asking;

    report(31, `the log begun anew ${countLogs() - first} times, the slowest answer took ${slowest.toFixed(0)} ms`);
    expect(slowest).toBeLessThan(syncMs * 0.75); // more than a busy machine takes, less than a sync
  },
  60_000 + beginnings * 30_000,
);
