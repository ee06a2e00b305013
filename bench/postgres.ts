/**
 * The benchmark on PostgreSQL: `bun bench/postgres.ts [--seconds 5]`. Starts a server of its own. Exits with 1 when an
 * answer or a connection failed, or a write was lost.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../test/support/postgres/server.ts';
import { chooseGenerator } from './loads/load.ts';
import { createScenarios, type Scenario, type Scenarios } from './loads/scenarios.ts';
import { createDiskFolder, describeMachine, fileSystemOf, residentMemory } from './machine/machine.ts';
import { makeDrafts } from './notes/corpus.ts';
import type { Figure } from './output/figure.ts';
import { sectionIn } from './output/section.ts';
import { measureListUnderUpdates, measureSingles } from './postgres/beside.ts';
import { countLogSyncs, type Deployment, deploy, describePostgres, fillDeployment } from './postgres/deployments.ts';
import { type Contender, type Measured, measureLoad, writeShares } from './postgres/loads.ts';
import { failuresOnPostgres, type PostgresReport, postgresMarkdown, postgresTables } from './postgres/report.ts';
import type { Bench } from './service/measure.ts';
import type { Circumstances } from './service/report.ts';

const print = (text: string) => console.error(text);

const stop = new AbortController(); // kills the child processes: the run then ends as after any other error
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

const seconds = readSeconds();
const failures = await run();
for (const failure of failures) print(`Failed: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

/** Measures, writes the results, and returns what failed. */
async function run(): Promise<string[]> {
  using folder = createDiskFolder();
  const generator = chooseGenerator(stop);
  const bench: Bench = { signal: stop.signal, generator, seconds, folder: folder.path };
  print('Starting PostgreSQL');
  await using server = await startPostgres();
  const { version, settings } = await describePostgres(server);
  const circumstances: Circumstances = {
    date: new Date().toISOString(),
    machine: describeMachine(),
    fileSystem: diskBehind(server),
    versions: `Bun ${Bun.version}, ${generator.version}, ${version}`,
    command: `bun bench/postgres.ts --seconds ${seconds}`,
  };
  const report: PostgresReport = { ...circumstances, settings, ...(await measureAll(bench, server)) };
  console.log(postgresTables(report));
  const page = join(import.meta.dir, 'POSTGRES.md');
  const beside = sectionIn(await Bun.file(page).text(), 'citus'); // bench/citus.ts writes it
  await Bun.write(page, `${postgresMarkdown(report)}${beside && `\n${beside}\n`}`);
  return failuresOnPostgres(report);
}

/** Memory would make every fsync free. */
function diskBehind({ folder }: PostgresServer): string {
  const fileSystem = fileSystemOf(folder);
  if (fileSystem !== 'tmpfs' && fileSystem !== 'ramfs') return fileSystem;
  throw new Error(`${folder} is in memory: let TMPDIR name a folder on a disk`);
}

async function measureAll(bench: Bench, server: PostgresServer) {
  await using one = await deploy(bench, server, 'one instance');
  await using two = await deploy(bench, server, 'two instances');
  const drafts = makeDrafts(10_000);
  for (const deployment of [one, two]) {
    print(`Storing ${drafts.length} notes for ${deployment.name}`);
    await fillDeployment(deployment, drafts);
  }
  const before = await countLogSyncs(server);
  const contenders = [one, two].map((deployment) => ({ deployment, drafts }));
  const results = await measureContenders(bench, contenders, createScenarios(drafts));
  return { ...results, logSyncs: (await countLogSyncs(server)) - before };
}

/**
 * Reads first: the list of W2 is as long as it should be until notes are created, that of W1 until some are archived.
 */
async function measureContenders(bench: Bench, contenders: readonly Contender[], scenarios: Scenarios) {
  const deployments = contenders.map(({ deployment }) => deployment);
  const { reads, writes, archives } = scenarios;
  for (const scenario of [...reads, ...writes, ...archives]) await writeShares(bench.folder, scenario);
  const measureLoads = async (some: readonly Scenario[]): Promise<Measured[]> => {
    const measured: Measured[] = [];
    for (const scenario of some) {
      print(`Measuring ${scenario.name}: ${scenario.title}`);
      measured.push(...(await measureLoad(bench, contenders, scenario)));
    }
    return measured;
  };
  const lists = await measureLoads(reads);
  print('Measuring W2 while titles are changed');
  const listUnderUpdates = await measureListUnderUpdates(bench, deployments);
  print('Measuring a single client');
  const singles = await measureSingles(bench, deployments);
  const changes = await measureLoads([...writes.filter(({ name }) => name !== 'W6'), ...archives]);
  return { measured: [...lists, ...changes], listUnderUpdates, singles, memory: deployments.map(memoryOf) };
}

function memoryOf({ name, instances }: Deployment): { deployment: string; instances: Figure[] } {
  return { deployment: name, instances: instances.map(({ pid }) => residentMemory(pid)) };
}

function readSeconds(): number {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
  if (/^[1-9]\d{0,2}$/.test(values.seconds)) return Number(values.seconds);
  print(`--seconds must be an integer from 1 to 999, not ${values.seconds}`);
  process.exit(2);
}
