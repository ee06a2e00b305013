/**
 * Latencies of writes at the full rate and at half of it, beside other programs on the same machine:
 * `bun bench/write-latencies.ts [--seconds 2] [--rounds 5] [--only bun-serve,hono-drizzle]`. It needs Linux, `wrk` and
 * `cc`. With three rounds and more, the table is stored in RESULTS.md.
 */
import { join } from 'node:path';
import { createDiskFolder, describeMachine, findFileSystemType } from './tools/machine.ts';
import { createDrafts } from './tools/notes.ts';
import { readOptionsOrExit } from './tools/options.ts';
import { choosePeersOrExit, startPeer } from './tools/peers.ts';
import { currentVersion, describeWorkingTree, type Program, startServiceInstances } from './tools/programs.ts';
import { createLoads, type Load, storeDraftsInEmptyProgram } from './tools/requests.ts';
import { compileRateSender, runRateSender } from './tools/send-at-rate.ts';
import { formatDecimal, formatMarkdownTable, getMedian, replaceOrAppendSection } from './tools/table.ts';
import { type Result, readWrkVersion, runWrk, writeWrkRequests } from './tools/wrk.ts';

const options = readOptionsOrExit();
const folder = createDiskFolder();
const drafts = createDrafts(10_000);
const { W3, W4, W5 } = createLoads(drafts);

/** One load on one program: each round has a part at the full rate and one at half of it. */
interface Series {
  readonly load: Load;
  readonly program: Program;
  readonly full: Result[];
  readonly half: Result[];
}

const sender = await compileRateSender(folder);
const programs = await startAndFillPrograms();
const measured: Series[] = [];
for (const load of [W3, W4, W5]) measured.push(...(await measureProgramsInTurns(load)));
await printAndWriteTable();
process.exit();

async function startAndFillPrograms(): Promise<Program[]> {
  const database = `sqlite:${join(folder, 'now.db')}`;
  const started = [await startServiceInstances(currentVersion, { name: 'now', database })];
  for (const [n, peer] of choosePeersOrExit(options.only ?? 'bun-serve,hono-drizzle').entries()) {
    started.push(await startPeer(peer, join(folder, `peer-${n}.db`), drafts));
  }
  for (const program of started) await storeDraftsInEmptyProgram(program, drafts);
  return started;
}

/** The first round warms up and does not count. Every second round has the opposite order. */
async function measureProgramsInTurns(load: Load): Promise<Series[]> {
  console.error(`${load.name}: ${load.title}`);
  const series: Series[] = programs.map((program) => ({ load, program, full: [], half: [] }));
  for (let round = 0; round <= options.rounds; round++) {
    for (const one of round % 2 === 0 ? series : series.toReversed()) {
      const { full, half } = await measureFullAndHalfRate(one);
      if (round === 0) continue;
      one.full.push(full);
      one.half.push(half);
    }
  }
  return series;
}

async function measureFullAndHalfRate({ load, program }: Series): Promise<{ full: Result; half: Result }> {
  const requests = join(folder, `${Bun.randomUUIDv7()}.requests`);
  await writeWrkRequests(requests, load.requests.map(program.rewrite));
  const sending = { url: program.urls[0] ?? '', requests, connections: load.connections, seconds: options.seconds };
  const full = await runWrk(sending);
  const half = await runRateSender(sender, sending, full.requests / full.seconds / 2);
  await Bun.file(requests).delete();
  const wrong = full.refused + full.broken + half.refused;
  if (wrong > 0) throw new Error(`${load.name}, ${program.name}: ${wrong} requests failed`);
  return { full, half };
}

async function printAndWriteTable(): Promise<void> {
  const head = ['Load', '', 'Program', 'Requests/s', 'p50 ms', 'p99 ms', 'p99 / p50', 'p99 - p50 ms'];
  const table = formatMarkdownTable([[...head, 'Half: p50 ms', 'Half: p99 ms'], ...measured.map(formatRow)]);
  const { rounds, seconds } = options;
  const text = `- ${new Date().toISOString().slice(0, 10)}, ${await describeWorkingTree()}, \`bun bench/write-latencies.ts ${process.argv.slice(2).join(' ')}\`
- ${describeMachine()}, ${findFileSystemType(folder)}, ${readWrkVersion()}
- Medians of ${rounds} rounds of ${seconds} s at the full rate of 64 connections, and of ${seconds} s at half of it

${table}`;
  const heading = 'Latencies of writes';
  console.log(`## ${heading}\n\n${text}\n`);
  if (rounds >= 3) await replaceOrAppendSection('RESULTS.md', heading, text);
}

function formatRow({ load, program, full, half }: Series): string[] {
  const middle = (results: readonly Result[], of: (result: Result) => number) => getMedian(results.map(of));
  const format = (value: number) => formatDecimal(value, 1);
  return [
    load.name,
    load.title,
    program.name,
    formatDecimal(middle(full, ({ requests, seconds }) => requests / seconds)),
    format(middle(full, ({ p50 }) => p50)),
    format(middle(full, ({ p99 }) => p99)),
    format(middle(full, ({ p50, p99 }) => p99 / p50)),
    format(middle(full, ({ p50, p99 }) => p99 - p50)),
    format(middle(half, ({ p50 }) => p50)),
    format(middle(half, ({ p99 }) => p99)),
  ];
}
