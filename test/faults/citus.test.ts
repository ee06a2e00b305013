/** Nodes of the Citus cluster at `TEST_CITUS_URL` (scripts/citus.sh starts one) crash, and shards move, under load. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createClient } from '../../src/client/client.ts';
import type { Note } from '../../src/core/note.ts';
import { openSqlite } from '../../src/store/open-sqlite.ts';
import { isEventuallyTrue } from '../support/eventually.ts';
import { WriteLoad } from '../support/http/load.ts';
import { crashNodeAndWaitForRestart, moveShardsAndRebalance } from '../support/postgres/citus-nodes.ts';
import { type CitusDatabase, createCitusDatabase, waitForWholeChangeLog } from '../support/postgres/databases.ts';
import { createSeededRandom, seed } from '../support/random.ts';
import { createDraft } from '../support/sample-notes.ts';
import { longRunMs, pickByScale } from '../support/scale.ts';
import {
  createJsonRequest,
  createTemporaryFolder,
  readNoteBody,
  readNotesBody,
  runNotesCommand,
  type Service,
  startService,
} from '../support/service.ts';
import { createEmptyWaits, formatPassedTrial, runFaultAndAssertRecovery } from './postgres-trial.ts';
import { printAndRecordSkippedFault, reportFigures } from './report.ts';

const home = process.env['TEST_CITUS_URL'];
const rounds = pickByScale(5, 1);
const settings = { DATABASE_TIMEOUT_MS: '2000' };

if (home === undefined)
  for (const fault of [32, 33, 34, 35]) printAndRecordSkippedFault(fault, 'TEST_CITUS_URL names no cluster');

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

/** A client of the event stream of a service, and what it has heard. */
interface Listener extends AsyncDisposable {
  events: number;
  resets: number;
  /** Whether a state of the note was heard that is not older than this one. */
  hasHeard(note: Note): boolean;
}

async function listenFromNow({ url }: Service): Promise<Listener> {
  const cursor = (await fetch(`${url}/api/notes`)).headers.get('notes-cursor') ?? '';
  const stopping = new AbortController();
  const lastHeard = new Map<number, string>();
  const listener: Listener = {
    events: 0,
    resets: 0,
    hasHeard: ({ id, updatedAt }) => (lastHeard.get(id) ?? '') >= updatedAt,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
  const ended = (async () => {
    for await (const event of createClient(url).events({ cursor, signal: stopping.signal })) {
      if (event.kind === 'reset') listener.resets++;
      if (event.kind !== 'note') continue;
      listener.events++;
      lastHeard.set(event.note.id, event.note.updatedAt);
    }
  })();
  return listener;
}

/** Writes a note of its own through both services in turn, until it is over; adds each acknowledged state. */
async function writeThroughBoth(services: readonly Service[], acknowledged: Note[], isOver: () => boolean) {
  const [first = '', second = ''] = services.map(({ url }) => url);
  const note = await readNoteBody(fetch(`${first}/api/notes`, createJsonRequest(createDraft())));
  acknowledged.push(note);
  for (let round = 0; !isOver(); round++) {
    const change = createJsonRequest({ id: note.id, title: `${note.id}, ${round}` }, 'PUT');
    const response = await fetch(`${round % 2 === 0 ? second : first}/api/notes/${note.id}`, change);
    if (response.ok) acknowledged.push(await readNoteBody(response));
    else await Bun.sleep(20);
  }
}

test.skipIf(home === undefined)(
  'a listener hears of each acknowledged write while shards move and workers crash',
  async () => {
    const cluster = await createDistributedDatabase();
    await using one = await startService({ DATABASE_URL: cluster.url, ...settings });
    await using other = await startService({ DATABASE_URL: cluster.url, ...settings });
    await waitForWholeChangeLog(cluster, 'distributed_changes');
    await using listener = await listenFromNow(other);
    const acknowledged: Note[] = [];
    const minWrites = pickByScale(20_000, 1_000);
    let faults = 0;
    const isOver = () => acknowledged.length >= minWrites && faults >= 1;

    const interfere = async () => {
      while (!isOver()) {
        await moveShardsAndRebalance(cluster);
        await crashNodeAndWaitForRestart(cluster.workers[faults % 2] ?? '');
        faults++;
      }
    };
    const clients = Array.from({ length: 16 }, () => writeThroughBoth([one, other], acknowledged, isOver));
    await Promise.all([...clients, interfere()]);

    const findMissing = () => acknowledged.filter((note) => !listener.hasHeard(note));
    await isEventuallyTrue(async () => findMissing().length === 0);
    expect({ missing: findMissing().length, resets: listener.resets }).toEqual({ missing: 0, resets: 0 });
    reportFigures(
      34,
      `${acknowledged.length} acknowledged, ${listener.events} events, 0 missing, 0 resets; ` +
        `all shards moved and distributed again, and a worker crashed, ${faults} times`,
    );
  },
  longRunMs,
);

async function createFileWithNotes(url: string, count: number): Promise<void> {
  const path = url.slice('sqlite:'.length);
  await using store = await openSqlite({ path });
  const contents = Array.from({ length: count }, (_, n) => `${n} ${'x'.repeat(400)}`);
  await Promise.all(contents.map((content) => store.create(createDraft({ content }))));
}

const hasNotes = ({ run }: CitusDatabase) =>
  run('SELECT 1 FROM notes LIMIT 1').then(
    ({ length }) => length > 0,
    () => false, // there is no such table yet
  );

test.skipIf(home === undefined)(
  `${rounds} times a worker crashes while notes are moved to Citus, and a second run moves the rest`,
  async () => {
    using folder = createTemporaryFolder();
    const from = `sqlite:${join(folder.path, 'notes.db')}`;
    await createFileWithNotes(from, 10_000);
    let failed = 0;
    for (let round = 0; round < rounds; round++) {
      const target = await createDistributedDatabase();
      const migrate = () => runNotesCommand(['migrate', '--json'], { MIGRATE_FROM: from, MIGRATE_TO: target.url });

      const running = migrate();
      expect(await isEventuallyTrue(() => hasNotes(target))).toBe(true);
      await crashNodeAndWaitForRestart(target.workers[round % 2] ?? '');
      const first = await running;
      const second = await migrate();

      if (first.code !== 0) expect(first.stderr).toContain('holds what was moved so far: run it again to resume');
      failed += first.code === 0 ? 0 : 1;
      expect([second.code, JSON.parse(second.stdout).notes]).toEqual([0, 10_000]);
      expect(await target.run('SELECT count(*)::integer AS notes FROM notes')).toEqual([{ notes: 10_000 }]);
      await target[Symbol.asyncDispose]();
      database = undefined;
    }
    reportFigures(35, `${rounds} crashes, ${failed} of the commands failed; a second one moved the rest each time`);
  },
  longRunMs,
);
