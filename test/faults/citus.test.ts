/** Nodes of the Citus cluster at `TEST_CITUS_URL` (scripts/citus.sh starts one) crash, and shards move, under load. */
import { afterEach, expect, test } from 'bun:test';
import { WriteLoad } from '../support/http/load.ts';
import { crashNodeAndWaitForRestart, moveShardsAndRebalance } from '../support/postgres/citus-nodes.ts';
import { type CitusDatabase, createCitusDatabase } from '../support/postgres/databases.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { createDraft } from '../support/sample-notes.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import { createJsonRequest, readNoteBody, readNotesBody, type Service, startService } from '../support/service.ts';
import { createEmptyWaits, formatPassedTrial, runFaultAndAssertRecovery } from './postgres-trial.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const home = process.env['TEST_CITUS_URL'];
const rounds = pickByScale(5, 1);
const settings = { DATABASE_TIMEOUT_MS: '2000' };

if (home === undefined)
  for (const fault of [32, 33]) printAndRecordSkippedFault(fault, 'TEST_CITUS_URL names no cluster');

let created = 0;
let database: CitusDatabase | undefined;
afterEach(async () => {
  await database?.[Symbol.asyncDispose]();
  database = undefined;
});

/** Creates a database with notes distributed by id, which is dropped after the test. */
async function createDistributedDatabase(): Promise<CitusDatabase> {
  database = await createCitusDatabase(home ?? '', `notes_faults_${process.pid}_${++created}`, 'id');
  return database;
}

test.skipIf(home === undefined).each(['a worker', 'the coordinator'])(
  `${rounds} times %s of Citus crashes, and no acknowledged write is lost`,
  async (name) => {
    const { url, workers } = await createDistributedDatabase();
    const node = name === 'a worker' ? (workers[0] ?? '') : url;
    await using service = await startService({ DATABASE_URL: url, ...settings });
    const trial = { service, load: new WriteLoad(createSeededRandom(seed), 'unknown'), waits: createEmptyWaits() };

    for (let round = 0; round < rounds; round++)
      await runFaultAndAssertRecovery(trial, () => crashNodeAndWaitForRestart(node));

    reportFigures(32, `${name}: ${rounds} rounds, ${formatPassedTrial(trial)}`);
    expect(await service.stop()).toBe(0);
  },
  longRunMs,
);

/** What clients have seen who write through one instance, and read through another one at once. */
interface Seen {
  reads: number;
  stale: number;
  failed: number;
}

/** Changes its own note again and again, and compares it with what the other instance shows. */
async function writeAndReadElsewhere(services: readonly Service[], seen: Seen, isOver: () => boolean): Promise<void> {
  const [first = '', second = ''] = services.map(({ url }) => url);
  const { id } = await readNoteBody(fetch(`${first}/api/notes`, createJsonRequest(createDraft())));
  for (let round = 0; !isOver(); round++) {
    const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
    const title = `${id}, ${round}`;
    const written = await fetch(`${writer}/api/notes/${id}`, createJsonRequest({ id, title }, 'PUT'));
    const answers = await Promise.all([fetch(`${reader}/api/notes`), fetch(`${reader}/api/notes/${id}`)]);
    if (!written.ok || !answers.every(({ ok }) => ok)) {
      seen.failed++;
      await Bun.sleep(20);
      continue;
    }
    const [list, note] = answers;
    const listed = (await readNotesBody(list as Response)).find((listedNote) => listedNote.id === id);
    const shown = [listed?.title, (await readNoteBody(note as Response)).title];
    seen.reads += shown.length;
    seen.stale += shown.filter((shownTitle) => shownTitle !== title).length;
  }
}

test.skipIf(home === undefined)(
  'nothing older than an acknowledged write is shown while shards move and a worker crashes',
  async () => {
    const cluster = await createDistributedDatabase();
    await using one = await startService({ DATABASE_URL: cluster.url, ...settings });
    await using other = await startService({ DATABASE_URL: cluster.url, ...settings });
    const seen: Seen = { reads: 0, stale: 0, failed: 0 };
    const minReads = pickByScale(100_000, 2_000);
    let faults = 0;
    const isOver = () => seen.reads >= minReads && faults >= 1;

    const interfere = async () => {
      while (!isOver()) {
        await moveShardsAndRebalance(cluster);
        await crashNodeAndWaitForRestart(cluster.workers[faults % 2] ?? '');
        faults++;
      }
    };
    const clients = Array.from({ length: 16 }, () => writeAndReadElsewhere([one, other], seen, isOver));
    await Promise.all([...clients, interfere()]);

    expect(seen.stale).toBe(0);
    reportFigures(
      33,
      `${seen.reads} lists and notes by 16 clients, 0 stale, ${seen.failed} not answered; ` +
        `all shards moved and distributed again, and a worker crashed, ${faults} times`,
    );
  },
  longRunMs,
);
