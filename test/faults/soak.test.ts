/** Mixed load for a long time: nothing is lost or left open, and memory does not grow. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { History } from '../support/http/history.ts';
import { seed, seeded } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import { notesIn, type Service, startService, temporaryFolder } from '../support/service.ts';
import { descriptors, isLinux, residentMb } from '../support/system/process-facts.ts';
import { MixedClient } from './load/mixed-load.ts';
import { report } from './report.ts';

const soakSeconds = Number(process.env['FAULT_SOAK_SECONDS'] ?? scaled(300, 4));
const roundSeconds = scaled(5, 2);
const rounds = Math.ceil(soakSeconds / roundSeconds);
const isLongEnough = isLinux && rounds >= 20;
const perMinute = 60 / roundSeconds;

/** Memory is flat if its slope less two standard deviations is at most this, in MB per minute. */
const flatMbPerMinute = 1;
/** Allowance for connections that are closing. */
const fewDescriptors = 4;
/** A service keeps a connection to the database for each of 16 snapshots, and some more; each opens up to 3 files. */
const maxDatabaseFiles = 3 * 20;

/** Least-squares line through equidistant points: its slope and the standard deviation of the slope. */
function lineThrough(values: readonly number[]): { slope: number; deviation: number } {
  const middle = (values.length - 1) / 2;
  const sum = (of: (value: number, x: number) => number) =>
    values.reduce((sum, value, index) => sum + of(value, index - middle), 0);
  const mean = sum((value) => value) / values.length;
  const spread = sum((_, x) => x ** 2);
  const slope = sum((value, x) => x * (value - mean)) / spread;
  const residue = sum((value, x) => (value - mean - slope * x) ** 2);
  return { slope, deviation: Math.sqrt(residue / (values.length - 2) / spread) };
}

/** Lets the clients act for a round. Returns the minimum of the service's memory, which garbage does not affect. */
async function floorOfRound(clients: readonly MixedClient[], { process }: Service): Promise<number> {
  const end = performance.now() + roundSeconds * 1_000;
  const isOver = () => performance.now() >= end;
  const acting = Promise.all(clients.map((client) => client.actUntil(isOver)));
  let floor = Number.POSITIVE_INFINITY;
  while (!isOver()) {
    if (isLinux) floor = Math.min(floor, residentMb(process));
    await Bun.sleep(200);
  }
  await acting;
  return floor;
}

/** The numbers of open database files and of other descriptors. */
function openIn({ process }: Service): { database: number; others: number } {
  const names = isLinux ? descriptors(process) : [];
  const database = names.filter((name) => /\/notes\.db[^/]*$/.test(name)).length;
  return { database, others: names.length - database };
}

test(
  `a mixed load for ${soakSeconds} s loses nothing and leaves nothing open`,
  async () => {
    using folder = temporaryFolder();
    await using service = await startService({ DATABASE_URL: `sqlite:${join(folder.path, 'notes.db')}` });
    const [random, history] = [seeded(seed), new History()];
    const clients = Array.from({ length: 16 }, (_, index) => {
      return new MixedClient(`client-${index}`, service, seeded(random.below(2 ** 32)), history);
    });
    const before = openIn(service).others;
    const floors: number[] = [];

    for (let round = 0; round < rounds; round++) {
      floors.push(await floorOfRound(clients, service));
      const listed = await notesIn(fetch(`${service.url}/api/notes`, { keepalive: false }));
      expect(history.contradictions(listed)).toEqual([]);
      history.settle(listed);
    }
    for (const client of clients) client[Symbol.dispose]();
    const isClosed = await eventually(() => openIn(service).others <= before + fewDescriptors);

    const requests = clients.reduce((sum, client) => sum + client.requests, 0);
    const { slope, deviation } = lineThrough(floors.slice(rounds / 2));
    const figures = [
      `${requests} requests in ${soakSeconds} s`,
      `history clean after each of ${rounds} rounds`,
      `${before} descriptors before and ${openIn(service).others} after, ` +
        `besides ${openIn(service).database} of the database`,
      `at least ${floors.at(rounds / 2)?.toFixed(0)} MB at half time and ${floors.at(-1)?.toFixed(0)} MB in the end`,
      ...(isLongEnough ? [`${(slope * perMinute).toFixed(1)} ± ${(deviation * perMinute).toFixed(1)} MB/min`] : []),
    ];
    report(18, figures.join(', '));
    expect(isClosed).toBe(true);
    expect(openIn(service).database).toBeLessThanOrEqual(maxDatabaseFiles);
    if (isLongEnough) expect((slope - 2 * deviation) * perMinute).toBeLessThanOrEqual(flatMbPerMinute);
  },
  (soakSeconds * 2 + 120) * 1_000,
);
