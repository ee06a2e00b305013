/** The service on a full disk and after space is freed, on a small disk mounted for the test. */
import { afterAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Note } from '../../src/core/note.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { backUpAndDeleteExpiredIfDue } from '../../src/store/sqlite/backup/automatic-backups.ts';
import { createDraft, createPortableNote } from '../support/sample-notes.ts';
import { createJsonRequest, createTemporaryFolder, runNotesCommand, startService } from '../support/service.ts';
import {
  type Disk,
  findObstacleToMounting,
  mountMemoryDisk,
  resizeMemoryDiskToFreeMegabytes,
  unmountAllDisks,
} from '../support/system/disk.ts';
import { createSqliteSettings } from './database.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const reason = findObstacleToMounting();
if (reason !== undefined) printAndRecordSkippedFault(4, reason);
afterAll(unmountAllDisks);

const databaseOn = (disk: Disk) => join(disk.path, 'notes.db');

/** Occupies space of a disk until it is removed. */
function layBallast(disk: Disk, megabytes: number): { remove(): void } {
  const ballast = join(disk.path, 'ballast');
  writeFileSync(ballast, new Uint8Array(megabytes * 1024 * 1024));
  return { remove: () => rmSync(ballast) };
}

/** Occupies the remaining space of a disk. */
function fillDisk(disk: Disk): { remove(): void } {
  const ballast = join(disk.path, 'ballast');
  expect(() => writeFileSync(ballast, new Uint8Array(64 * 1024 * 1024))).toThrow('ENOSPC');
  return { remove: () => rmSync(ballast) };
}

const api = (service: { readonly url: string }) => `${service.url}/api/notes`;
const fetchNotes = async (url: string) => z.array(Note).parse(await (await fetch(url)).json());
const large = (title: string) => createJsonRequest(createDraft({ title, content: 'x'.repeat(4_000) }));

/** Creates notes until 20 in a row are refused; returns the acknowledged ones. */
async function fill(url: string): Promise<Note[]> {
  const acknowledged: Note[] = [];
  for (let refused = 0; refused < 20; ) {
    const answer = await fetch(url, large(`note ${acknowledged.length}`));
    const body: unknown = await answer.json();
    if (answer.ok) acknowledged.push(Note.parse(body));
    else expect([answer.headers.get('notes-outcome'), answer.headers.get('retry-after')]).toEqual(['none', null]);
    refused = answer.ok ? 0 : refused + 1;
  }
  return acknowledged;
}

test.skipIf(reason !== undefined)(
  'a backup that would fill its disk is not made, and is when there is room',
  async () => {
    using folder = createTemporaryFolder();
    using disk = mountMemoryDisk(40);
    const database = join(folder.path, 'notes.db');
    const keep = { daily: 7, weekly: 4, maxBytes: 2 ** 30 };
    await using store = await openSqlite({ path: database });
    await store.create(createDraft());
    const made: number[] = [];
    const make = () =>
      backUpAndDeleteExpiredIfDue({ database, folder: disk.path, keep }, new AbortController().signal, {
        onNewest() {},
        onMade: ({ notes }) => made.push(notes),
        onRemoved() {},
      });

    await expect(make()).rejects.toThrow(/of which 64 MiB stay free\. Free some space$/);
    resizeMemoryDiskToFreeMegabytes(disk, 80);
    await make();

    expect(made).toEqual([1]);
  },
);

/** 24 MB are full before the first checkpoint, 48 MB long after it. */
test.skipIf(reason !== undefined).each([24, 48])(
  'on a full disk of %d MB writes are refused and reads answered, and with room again all goes on',
  async (size) => {
    using disk = mountMemoryDisk(size);
    const ballast = layBallast(disk, 2);
    const settings = createSqliteSettings(databaseOn(disk));
    await using service = await startService(settings);
    const url = api(service);

    const acknowledged = await fill(url);
    expect(acknowledged.length).toBeGreaterThan(100);

    const refused = await Promise.all(Array.from({ length: 100 }, () => fetch(url, large('too many'))));
    expect(new Set(refused.map((answer) => answer.status))).toEqual(new Set([500]));
    expect(await fetchNotes(url)).toEqual(acknowledged);
    expect((await fetch(`${url}/1`)).status).toBe(200);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);

    ballast.remove();
    const freed = performance.now();
    const answer = await fetch(url, large('with room again'));
    const ms = performance.now() - freed;
    reportFigures(
      4,
      `${size} MB: ${acknowledged.length} stored, ${refused.length} refused, 200 again after ${ms.toFixed(0)} ms`,
    );
    expect(answer.status).toBe(200);
    expect(ms).toBeLessThan(1_000);

    acknowledged.push(Note.parse(await answer.json()));
    expect(await fetchNotes(url)).toEqual(acknowledged);
    expect(service.process.exitCode).toBeNull();
    expect(await service.stop()).toBe(0);

    await using restarted = await startService(settings);
    expect(await fetchNotes(api(restarted))).toEqual(acknowledged);
  },
);

test.skipIf(reason !== undefined)(
  'a service that starts on a full disk serves what is there, refuses writes, and goes on by itself with room again',
  async () => {
    using disk = mountMemoryDisk(24);
    const settings = createSqliteSettings(databaseOn(disk));
    await using killed = await startService(settings);
    const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(api(killed), large('before'))));
    expect(answers.filter(({ ok }) => !ok)).toEqual([]);
    await killed.stop('SIGKILL');
    const ballast = fillDisk(disk);

    await using service = await startService(settings);
    const url = api(service);
    expect(await fetchNotes(url)).toHaveLength(100);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    const stored = await fill(url);
    const refused = await fetch(url, large('too many'));
    expect([refused.status, refused.headers.get('notes-outcome'), await refused.json()]).toEqual([
      500,
      'none',
      { error: 'The store has no room left. Nothing was changed' },
    ]);
    const doctor = await runNotesCommand(['doctor'], settings);
    expect(doctor.stdout).toMatch(/fault +space .*Free some space/);
    expect(doctor.stdout).not.toContain('notes restore');

    ballast.remove();
    expect((await fetch(url, large('with room again'))).status).toBe(200);
    expect(await fetchNotes(url)).toHaveLength(100 + stored.length + 1);
    expect(await service.stop()).toBe(0);
  },
);

test.skipIf(reason !== undefined)('an import on a full disk says what was stored and what was not', async () => {
  using disk = mountMemoryDisk(24);
  using folder = createTemporaryFolder();
  const file = join(folder.path, 'notes.ndjson');
  const content = 'x'.repeat(2_000);
  const lines = Array.from({ length: 20_000 }, (_, at) => JSON.stringify(createPortableNote(at + 1, { content })));
  writeFileSync(file, lines.join('\n'));

  const { code, stderr } = await runNotesCommand(['import', file, '--db', databaseOn(disk)]);

  expect(code).toBe(1);
  expect(stderr).toMatch(
    / {2}[\d,]+ added\nTo archive what was added:\n {2}notes archive .*\nnotes: A batch of [\d,]+ notes was not stored: /,
  );
});
