/** Readers that request different lists and read nothing: only so many large answers are under way at once. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { beginListDownload, type Download, storeLongList } from '../support/http/long-list.ts';
import { createJsonRequest, createTemporaryFolder, readNotesBody, startService } from '../support/service.ts';
import { isLinux, readPeakMegabytes, readResidentMegabytes, resetPeakMemory } from '../support/system/process-facts.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const notes = 4_500; // a list of 6.4 MB
const readers = 400;
/** With a copy of the list for each, it would be 2,500 MB. */
const maxMb = 250;

if (!isLinux) printAndRecordSkippedFault(13, 'only Linux tells the memory of a process');

test.skipIf(!isLinux).each(['identity', 'zstd'])('lists that nobody takes (%s) hold bounded memory', async (coding) => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'notes.db');
  await storeLongList(path, notes);
  await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
  const url = `${service.url}/api/notes`;
  const before = readResidentMegabytes(service.process);
  resetPeakMemory(service.process);

  const lists: Promise<Download>[] = [];
  for (let id = 1; id <= readers; id++) {
    await fetch(`${url}/${id}`, createJsonRequest({ id, title: `Title ${id}` }, 'PUT'));
    lists.push(beginListDownload(url, '', `Accept-Encoding: ${coding}\r\n`));
  }
  const begun = await Promise.all(lists);
  const grownMb = readPeakMegabytes(service.process) - before;
  for (const list of begun) list[Symbol.dispose]();
  const whole = await readNotesBody(fetch(url));

  reportFigures(13, `${readers} readers that take nothing (${coding}): at most +${grownMb.toFixed(0)} MB`);
  expect(grownMb).toBeLessThan(maxMb);
  expect(whole).toHaveLength(notes);
});
