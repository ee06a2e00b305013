/** Files and folders that the service must refuse: it reports why, and leaves every byte unchanged. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Refusal, serveInVain } from '../support/refusal.ts';
import { draft, jsonBody, type Service, startService } from '../support/service.ts';
import { mountMemory, obstacleToMounting, remountReadOnly, unmountAll } from '../support/system/disk.ts';
import { makePipe } from '../support/system/pipe.ts';
import { logsOf, settingsOf, sizeOf, temporaryDatabase } from './database.ts';
import { report, reportSkipped } from './report.ts';

const reason = obstacleToMounting();
if (reason !== undefined) reportSkipped(7, `the read-only folder: ${reason}`);
afterAll(unmountAll);

const page = 4096;

async function createNotes({ url }: Service, count: number): Promise<void> {
  const note = jsonBody(draft({ content: 'x'.repeat(1_000) }));
  const answers = await Promise.all(Array.from({ length: count }, () => fetch(`${url}/api/notes`, note)));
  expect(answers.filter((answer) => !answer.ok)).toEqual([]);
}

/** Stores 300 notes in a closed file; with `killed`, 300 more remain in the log of a killed service. */
async function storeNotes(path: string, ending: 'closed' | 'killed'): Promise<void> {
  const first = await startService(settingsOf(path));
  await createNotes(first, 300);
  expect(await first.stop()).toBe(0);
  if (ending === 'closed') return;
  const second = await startService(settingsOf(path));
  await createNotes(second, 300);
  await second.stop('SIGKILL');
  expect(logsOf(path).map(sizeOf)).not.toEqual([0]);
}

function overwrite(path: string, start: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, start);
  closeSync(file);
}

/** Damages the pages between the first and the third quarter of the file, as a bad disk might. */
function damagePages(path: string): void {
  const quarter = Math.floor(statSync(path).size / page / 4) * page;
  overwrite(path, quarter, 2 * quarter);
}

/** Some programs keep the journal of their last transaction. */
function becomeForeign(path: string): void {
  rmSync(path);
  using db = new Database(path);
  db.run('PRAGMA journal_mode = PERSIST');
  db.run('CREATE TABLE theirs (id)');
}

/** The contents of the files next to a database, except the memory that SQLite shares between processes (-shm). */
function bytesIn(path: string): Record<string, string> {
  const files = readdirSync(dirname(path)).map((name) => join(dirname(path), name));
  const holding = files.filter((file) => !file.endsWith('-shm') && sizeOf(file) > 0);
  return Object.fromEntries(holding.map((file) => [basename(file), Bun.hash(readFileSync(file)).toString(16)]));
}

/** Expects a single sentence in time, and no stack. */
function expectRefusal({ code, stdout, stderr, ms }: Refusal, sentence: string): void {
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(sentence) });
  expect(stderr).toMatch(/^notes: .*\n$/);
  expect(ms).toBeLessThan(5_000);
}

test.each<[string, 'closed' | 'killed', (path: string) => void, string]>([
  ['has a bad header', 'closed', (path) => overwrite(path, 0, 16), 'it is not a SQLite database'],
  ['has bad pages', 'closed', damagePages, 'Restore a backup with "notes restore"'],
  ['has bad pages and a log', 'killed', damagePages, 'Restore a backup with "notes restore"'],
  ['is junk', 'closed', (path) => writeFileSync(path, 'junk'.repeat(5_000)), 'it is not a SQLite database'],
  ['is of another program, with a journal beside it', 'closed', becomeForeign, 'is a database of another program'],
])(
  'a file that %s is refused with a sentence, and not a byte is changed',
  async (name, ending, damage, sentence) => {
    using database = temporaryDatabase();
    await storeNotes(database.path, ending);
    damage(database.path);
    const before = bytesIn(database.path);

    const refusal = await serveInVain(database.settings);

    expectRefusal(refusal, sentence);
    expect(bytesIn(database.path)).toEqual(before);
    report(7, `a file that ${name}: refused within ${refusal.ms.toFixed(0)} ms, 0 bytes changed`);
  },
  60_000,
);

test.skipIf(reason !== undefined)(
  'a read-only folder is refused with a sentence, and nothing is changed',
  async () => {
    using disk = mountMemory(64);
    const path = join(disk.path, 'notes.db');
    await storeNotes(path, 'killed');
    remountReadOnly(disk);
    const before = bytesIn(path);

    const refusal = await serveInVain(settingsOf(path));

    expectRefusal(refusal, 'its file system is read-only');
    expect(bytesIn(path)).toEqual(before);
    report(7, `a read-only folder: refused within ${refusal.ms.toFixed(0)} ms, 0 bytes changed`);
  },
  60_000,
);

test('a pipe in place of the file is refused, without waiting for its writer', async () => {
  using database = temporaryDatabase();
  makePipe(database.path);

  const refusal = await serveInVain(database.settings);

  expectRefusal(refusal, 'it is a pipe or a device');
  expect(readdirSync(dirname(database.path))).toEqual([basename(database.path)]);
});
