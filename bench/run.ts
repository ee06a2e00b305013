/** The whole benchmark: `bun bench/run.ts [--seconds 5]`. Exits with 1 when an answer or a connection failed. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeDrafts } from './corpus.ts';
import { readCounters } from './counters.ts';
import { fill } from './fill.ts';
import { countFsyncs } from './fsyncs.ts';
import { chooseGenerator } from './load.ts';
import { createDiskFolder, describeMachine, describeVersions, residentMemory } from './machine.ts';
import { type Bench, type Measured, measure, tapeOf } from './measure.ts';
import { type Server, startService } from './processes.ts';
import { failuresIn, markdown, type Report, tables } from './report.ts';
import { createScenarios } from './scenarios.ts';
import { measureColdStart, measureStart } from './starts.ts';

const tell = (text: string) => console.error(text);

const stop = new AbortController(); // kills the child processes: the run then ends as after any other error
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

const seconds = readSeconds();
const report = await run();
await Bun.write(join(import.meta.dir, 'RESULTS.md'), markdown(report));
console.log(tables(report));
const failures = failuresIn(report);
for (const failure of failures) tell(`Failed: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

async function run(): Promise<Report> {
  const date = new Date().toISOString();
  using folder = createDiskFolder();
  const generator = chooseGenerator(stop);
  const bench: Bench = { signal: stop.signal, generator, seconds, folder: folder.path };
  const database = join(folder.path, 'notes.db');

  tell('Starting the service on an empty store');
  const coldStart = await measureColdStart(bench);
  const loads = await measureLoads(bench, database);
  tell('Starting the service on the store as it is now');
  const finalStart = await measureStart(bench, database);

  const machine = { machine: describeMachine(), fileSystem: folder.fileSystem };
  const command = `bun bench/run.ts --seconds ${seconds}`;
  return { date, ...machine, versions: describeVersions(generator.version), command, coldStart, ...loads, finalStart };
}

/** One service from the first note to the last. */
async function measureLoads(bench: Bench, database: string) {
  await using service = await startService(bench, database);
  const drafts = makeDrafts(10_000);
  tell(`Storing ${drafts.length} notes`);
  await fill(service.url, drafts);

  const measured: Measured[] = [];
  for (const scenario of createScenarios(drafts)) {
    tell(`Measuring ${scenario.name}: ${scenario.title}`);
    measured.push(await measure(bench, service, scenario));
  }
  const finalMemory = residentMemory(service.pid);
  tell('Counting fsyncs during creates');
  const fsyncs = await countFsyncs(bench, service.pid, () => createForASecond(bench, service));
  const { stored } = await readCounters(service.url);
  return { measured, finalMemory, fsyncs, finalNotes: stored };
}

/** The same load as W3. */
async function createForASecond({ generator, folder }: Bench, { url }: Server): Promise<void> {
  await generator.run({ url, tape: tapeOf(folder, 'W3'), connections: 64, seconds: 1 });
}

function readSeconds(): number {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
  if (/^[1-9]\d{0,2}$/.test(values.seconds)) return Number(values.seconds);
  tell(`--seconds must be an integer from 1 to 999, not ${values.seconds}`);
  process.exit(2);
}
