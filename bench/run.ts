/**
 * The whole benchmark: `bun bench/run.ts [--seconds 5] [--peers]`, or beside an earlier commit alone:
 * `bun bench/run.ts --before <commit> [--seconds 5] [--rounds 5]`. Exits with 1 when an answer or a connection failed.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureComparison } from './comparison/comparison.ts';
import {
  type ComparisonReport,
  comparisonMarkdown,
  comparisonTables,
  failuresInComparison,
} from './comparison/report.ts';
import { measureContest } from './contest/contest.ts';
import { peersChart } from './contest/peers-chart.ts';
import { type Contest, contestMarkdown, contestTable, failuresInContest } from './contest/report.ts';
import { chooseGenerator } from './loads/load.ts';
import { createDiskFolder, describeMachine, describeVersions } from './machine/machine.ts';
import { writeSections } from './results.ts';
import type { Bench } from './service/measure.ts';
import { type Circumstances, failuresInRun, markdown, type Report, tables } from './service/report.ts';
import { scaleChart } from './service/scale-chart.ts';
import { measureService } from './service/service.ts';

const print = (text: string) => console.error(text);

const stop = new AbortController(); // kills the child processes: the run then ends as after any other error
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

const defaultRounds = 5;

const { seconds, rounds, peers, before } = readOptions();
const file = (name: string) => join(import.meta.dir, name);
const failures = await run();
for (const failure of failures) print(`Failed: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

/** Measures, writes the results, and returns what failed. */
async function run(): Promise<string[]> {
  using folder = createDiskFolder();
  const generator = chooseGenerator(stop);
  const bench: Bench = { signal: stop.signal, generator, seconds, folder: folder.path };
  const describe = (options: string): Circumstances => ({
    date: new Date().toISOString(),
    machine: describeMachine(),
    fileSystem: folder.fileSystem,
    versions: describeVersions(generator.version),
    command: `bun bench/run.ts --seconds ${seconds}${options}`,
  });
  if (before !== undefined) return await runComparison(bench, before, describe(` --before ${before}`));
  const report: Report = { ...describe(peers ? ' --peers' : ''), ...(await measureService(bench, print)) };
  console.log(tables(report));
  await Bun.write(file('scale.svg'), scaleChart(report.scale));
  await writeSections({ service: markdown(report) });
  if (!peers) return failuresInRun(report);

  const contest: Contest = { ...describe(' --peers'), ...(await measureContest(bench, print)) };
  console.log(contestTable(contest));
  await Bun.write(file('peers.svg'), peersChart(contest.standings));
  await writeSections({ peers: contestMarkdown(contest) });
  return [...failuresInRun(report), ...failuresInContest(contest)];
}

/** Fewer rounds than usual are for a quick look: they are printed and not kept. */
async function runComparison(bench: Bench, commit: string, described: Circumstances): Promise<string[]> {
  const comparison = await measureComparison(bench, { commit, rounds }, print);
  const report: ComparisonReport = { ...described, ...comparison, rounds };
  console.log(comparisonTables(report));
  if (rounds >= defaultRounds) await writeSections({ comparison: comparisonMarkdown(report) });
  return failuresInComparison(report);
}

function readOptions() {
  const options = {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: String(defaultRounds) },
    peers: { type: 'boolean', default: false },
    before: { type: 'string' },
  } as const;
  const { values } = parseArgs({ options });
  const numbers = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
  if (!/^[1-9]\d{0,2}$/.test(values.seconds))
    refuse(`--seconds must be an integer from 1 to 999, not ${values.seconds}`);
  if (!/^\d?[13579]$/.test(values.rounds)) refuse(`--rounds must be an odd integer from 1 to 99, not ${values.rounds}`);
  if (values.before !== undefined && values.peers) refuse('--before and --peers are measured one at a time');
  return { ...values, ...numbers };
}

function refuse(complaint: string): never {
  print(complaint);
  process.exit(2);
}
