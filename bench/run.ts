/** The whole benchmark: `bun bench/run.ts [--seconds 5] [--peers]`. Exits with 1 when an answer or a connection failed. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureContest } from './contest.ts';
import { type Contest, contestHeading, contestMarkdown, contestTable, failuresInContest } from './contest-report.ts';
import { chooseGenerator } from './load.ts';
import { createDiskFolder, describeMachine, describeVersions } from './machine.ts';
import type { Bench } from './measure.ts';
import { peersChart } from './peers-chart.ts';
import { type Circumstances, failuresInRun, markdown, type Report, tables } from './report.ts';
import { scaleChart } from './scale-chart.ts';
import { measureService } from './service.ts';

const tell = (text: string) => console.error(text);

const stop = new AbortController(); // kills the child processes: the run then ends as after any other error
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

const { seconds, peers } = readOptions();
const file = (name: string) => join(import.meta.dir, name);
const failures = await run();
for (const failure of failures) tell(`Failed: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

/** Measures, writes the results, and returns what failed. */
async function run(): Promise<string[]> {
  using folder = createDiskFolder();
  const generator = chooseGenerator(stop);
  const bench: Bench = { signal: stop.signal, generator, seconds, folder: folder.path };
  const describe = (): Circumstances => ({
    date: new Date().toISOString(),
    machine: describeMachine(),
    fileSystem: folder.fileSystem,
    versions: describeVersions(generator.version),
    command: `bun bench/run.ts --seconds ${seconds}${peers ? ' --peers' : ''}`,
  });

  const report: Report = { ...describe(), ...(await measureService(bench, tell)) };
  console.log(tables(report));
  await Bun.write(file('scale.svg'), scaleChart(report.scale));
  await writeResults(markdown(report), await lastPeers());
  if (!peers) return failuresInRun(report);

  const contest: Contest = { ...describe(), ...(await measureContest(bench, tell)) };
  console.log(contestTable(contest));
  await Bun.write(file('peers.svg'), peersChart(contest.standings));
  await writeResults(markdown(report), contestMarkdown(contest));
  return [...failuresInRun(report), ...failuresInContest(contest)];
}

async function writeResults(service: string, peers: string): Promise<void> {
  await Bun.write(file('RESULTS.md'), service + peers);
}

/** The peers' section of the last run that measured them, with its own date; empty when there was none. */
async function lastPeers(): Promise<string> {
  const text = await Bun.file(file('RESULTS.md')).text();
  const start = text.indexOf(contestHeading);
  return start < 0 ? '' : text.slice(start);
}

function readOptions(): { seconds: number; peers: boolean } {
  const options = { seconds: { type: 'string', default: '5' }, peers: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ options });
  if (/^[1-9]\d{0,2}$/.test(values.seconds)) return { ...values, seconds: Number(values.seconds) };
  tell(`--seconds must be an integer from 1 to 999, not ${values.seconds}`);
  process.exit(2);
}
