/**
 * A disk that loses pages: a file system without a journal on a device whose own disk is full. Linux counts the pages
 * of a failed sync as written, and shows them to every program, until a power cut.
 */
import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Note } from '../../src/core/note.ts';
import * as storeMessage from '../../src/store/store-messages.ts';
import { createDraft } from '../support/sample-notes.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  readNotesBody,
  type Service,
  startService,
} from '../support/service.ts';
import {
  createFileSystemImage,
  type Disk,
  mountImageDisk,
  mountMemoryDisk,
  tryAndFindObstacle,
  unmountAllDisks,
} from '../support/system/disk.ts';
import { createSqliteSettings, readIntegrityCheck } from './database.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const reason = tryAndFindObstacle(() => {
  using memory = mountMemoryDisk(8);
  using _disk = mountImageDisk(createImage(memory, 4));
});
if (reason !== undefined) printAndRecordSkippedFault(30, reason);
afterAll(unmountAllDisks);

function createImage(memory: Disk, megabytes: number): string {
  const image = join(memory.path, 'image');
  createFileSystemImage(image, megabytes);
  return image;
}

/** Occupies the remaining space of a disk. */
function fillDisk(disk: Disk): { remove(): void } {
  const ballast = join(disk.path, 'ballast');
  expect(() => writeFileSync(ballast, new Uint8Array(64 * 2 ** 20))).toThrow('ENOSPC');
  return { remove: () => rmSync(ballast) };
}

const api = ({ url }: Pick<Service, 'url'>) => `${url}/api/notes`;
const create = (service: Service, title: string) =>
  fetch(api(service), createJsonRequest(createDraft({ title, content: 'x'.repeat(4_000) })));

/** Creates notes until one is refused. Returns the titles of those that were answered with 200. */
async function createUntilFailure(service: Service): Promise<string[]> {
  for (const titles: string[] = []; ; ) {
    const title = `before ${titles.length}`;
    const { ok } = await create(service, title).catch(() => ({ ok: false }));
    if (!ok) return titles;
    titles.push(title);
  }
}

/** The titles of the notes that are on a device after a power cut. */
async function titlesAfterPowerCut(image: string): Promise<string[]> {
  using folder = createTemporaryFolder();
  const cut = join(folder.path, 'cut');
  copyFileSync(image, cut); // without what the system has not written to it
  using disk = mountImageDisk(cut);
  const path = join(disk.path, 'notes.db');
  await using service = await startService(createSqliteSettings(path));
  const titles = listTitles(await readNotesBody(fetch(api(service))));
  expect(await service.stop()).toBe(0);
  expect(readIntegrityCheck(path)).toBe('ok');
  return titles;
}

const listTitles = (notes: readonly Note[]) => notes.map(({ title }) => title);

test.skipIf(reason !== undefined)(
  'notes that are answered after a failed sync and a restart survive a power cut',
  async () => {
    using memory = mountMemoryDisk(24);
    const image = createImage(memory, 64);
    using disk = mountImageDisk(image);
    const settings = createSqliteSettings(join(disk.path, 'notes.db'));
    await using failing = await startService(settings);
    await readNoteBody(create(failing, 'first'));
    const ballast = fillDisk(memory);
    const answered = ['first', ...(await createUntilFailure(failing))];
    expect(await failing.process.exited).toBe(1);

    await using full = await startService(settings);
    const shown = listTitles(await readNotesBody(fetch(api(full))));
    const refused = await create(full, 'too many');
    expect(shown).toEqual(expect.arrayContaining(answered));
    expect([refused.status, await refused.json()]).toEqual([500, { error: storeMessage.storeFull }]);
    expect(refused.headers.get('notes-outcome')).toBe('none');
    expect(full.log.join('\n')).toContain('is full: notes can be read, but not be written until there is room');

    ballast.remove();
    for (let n = 0; n < 5; n++) await readNoteBody(create(full, `after ${n}`));
    const all = listTitles(await readNotesBody(fetch(api(full))));
    expect(all).toHaveLength(shown.length + 5);
    expect(await titlesAfterPowerCut(image)).toEqual(all);
    reportFigures(30, `${answered.length} answered before a failed sync, 5 after it, 0 lost`);
  },
  60_000,
);
