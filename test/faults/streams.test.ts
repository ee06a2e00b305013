/** Long lists that end early, because the reader disconnects or stalls, leave nothing behind. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isEventuallyTrue } from '../support/eventually.ts';
import { beginListDownload, storeLongList } from '../support/http/long-list.ts';
import { createSeededRandom, type Random, seed } from '../support/random.ts';
import { createDraft } from '../support/sample-notes.ts';
import { pickByScale } from '../support/scale.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNotesBody,
  type Service,
  startService,
} from '../support/service.ts';
import { isLinux, listOpenFileTargets, readResidentMegabytes } from '../support/system/process-facts.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

if (!isLinux) printAndRecordSkippedFault(15, 'only Linux tells the open files of a process');

const left = pickByScale(1_000, 150);
/** So many long lists are read at once. */
const stalling = 16;
/** As many as the service sends at once. */
const maxAtOnce = 64;
/** Longer than it takes to fill the buffers of a connection, and 30 s, after which its reader is cut off. */
const stalledMs = 45_000;
/** The variation of an idle service's memory, in MB. A leaked list takes 2 MB or more. */
const noiseMb = 128;

const folder = createTemporaryFolder();
const path = join(folder.path, 'notes.db');
let service: Service;
let stored = 0;
const url = () => `${service.url}/api/notes`;

beforeAll(async () => {
  stored = (await storeLongList(path)).length;
  service = await startService({ DATABASE_URL: `sqlite:${path}` });
});

afterAll(async () => {
  await service.stop();
  folder[Symbol.dispose]();
});

/** Repeats some work, partly concurrently. */
async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  const workers = Array.from({ length: maxAtOnce }, async () => {
    while (left-- > 0) await work();
  });
  await Promise.all(workers);
}

const kinds = ({ pick }: Random) => ({
  query: pick(['', '?archived=false', '?category=css']),
  headers: pick(['', '', 'Accept-Encoding: gzip\r\n', 'Accept-Encoding: zstd\r\n', 'Accept-Encoding: br\r\n']),
});

/** Disconnects at once, or after a while of reading or not. */
async function abort(random: Random): Promise<void> {
  const { query, headers } = kinds(random);
  using list = await beginListDownload(url(), query, headers);
  expect(list.status).toBe(200);
  if (random.below(2) === 0) void list.rest(1_000);
  await Bun.sleep(random.pick([0, 0, 5, 50, 300]));
}

/** Begins so many lists at once that are too long for the service to share. */
async function holdLists(count: number): Promise<void> {
  const lists = await Promise.all(Array.from({ length: count }, () => beginListDownload(url())));
  for (const list of lists) list[Symbol.dispose]();
}

/** Takes nothing until the service gives up. */
async function stall(random: Random): Promise<void> {
  const { headers } = kinds(random);
  using list = await beginListDownload(url(), '', headers);
  expect(list.status).toBe(200);
  await Bun.sleep(stalledMs);
  expect(await list.rest()).toBeUndefined();
}

/** The open files and connections of a service, and the files next to the database. */
interface Held {
  readonly files: readonly string[];
  readonly sockets: number;
  readonly inFolder: readonly string[];
}

function held(): Held {
  const names = listOpenFileTargets(service.process);
  const files = names.filter((name) => !name.startsWith('socket:'));
  return {
    files: files.toSorted(),
    sockets: names.length - files.length,
    inFolder: readdirSync(folder.path).toSorted(),
  };
}

/** The state once it is stable. */
async function heldAtRest(): Promise<Held> {
  for (let last = held(); ; last = held()) {
    await Bun.sleep(300);
    if (Bun.deepEquals(held(), last)) return last;
  }
}

/** Truncates the log by a checkpoint from another connection; `busy` is 1 while a snapshot is being read. */
function emptyLog(): { busy: number; bytes: number } {
  using db = new Database(path);
  const busy = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy ?? -1;
  return { busy, bytes: statSync(`${path}-wal`).size };
}

async function expectNothingLeft(before: Held, memoryBefore: number): Promise<string> {
  await isEventuallyTrue(() => Bun.deepEquals(held(), before));
  expect(held()).toEqual(before);
  const grown = () => readResidentMegabytes(service.process) - memoryBefore;
  await isEventuallyTrue(() => grown() < noiseMb);
  const figures =
    `${before.files.length} files and ${before.sockets} connections open as before, ` + `${grown().toFixed(0)} MB more`;
  expect(grown()).toBeLessThan(noiseMb);
  expect((await fetch(url(), createJsonRequest(createDraft()))).status).toBe(200);
  stored++;
  expect(emptyLog()).toEqual({ busy: 0, bytes: 0 });
  expect(await readNotesBody(fetch(url()))).toHaveLength(stored);
  return figures;
}

test.skipIf(!isLinux).each([
  ['whose readers go away', left, abort],
  ['whose readers stall', stalling, stall],
])('of long lists %s nothing is left', async (what, count, once) => {
  const random = createSeededRandom(seed);
  await holdLists(stalling); // opens what the service keeps open for reuse
  await repeat(maxAtOnce, () => abort(random));
  const before = await heldAtRest();
  const memoryBefore = readResidentMegabytes(service.process);

  await repeat(count, () => once(random));

  reportFigures(15, `${count} lists ${what}: ${await expectNothingLeft(before, memoryBefore)}`);
});
