/**
 * PostgreSQL beside Citus: `TEST_CITUS_URL=… bun bench/citus.ts [--seconds 2]`, on the cluster that scripts/citus.sh
 * starts. Two instances on each kind of table take turns. Writes a section of POSTGRES.md.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createOnCitus, runOn } from '../test/support/postgres/databases.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { send } from './loads/answers.ts';
import { fill } from './loads/fill.ts';
import { chooseGenerator, type LoadResult, writeTape } from './loads/load.ts';
import { createScenarios, get, updateTitle } from './loads/scenarios.ts';
import { inTurns } from './loads/turns.ts';
import { createDiskFolder, describeMachine } from './machine/machine.ts';
import { type Server, startServiceOn } from './machine/processes.ts';
import { makeDrafts } from './notes/corpus.ts';
import { decimal, median, rate } from './output/figure.ts';
import { replaceSection } from './output/section.ts';
import { type Row, table } from './output/table.ts';

const home = process.env['TEST_CITUS_URL'] ?? '';
if (home === '') throw new Error('TEST_CITUS_URL must name the coordinator of a cluster: see scripts/citus.sh');
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } });
const seconds = Number(values.seconds);
const rounds = 2;
const notes = 2_000;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

/** Two instances on a database. */
interface Deployment {
  readonly name: string;
  readonly instances: readonly [Server, Server];
}

const resources = new AsyncDisposableStack();
const folder = resources.use(createDiskFolder());
const generator = chooseGenerator(stop);

const kinds = [
  { name: 'plain PostgreSQL' },
  { name: 'Citus: local', onCitus: true },
  { name: 'Citus: reference', onCitus: true, distribution: 'reference' },
  { name: 'Citus: by id, 4 shards', onCitus: true, distribution: 'id', shards: 4 },
  { name: 'Citus: by id, 32 shards', onCitus: true, distribution: 'id', shards: 32 },
] as const;

async function addressFor(kind: (typeof kinds)[number], n: number): Promise<string> {
  if (!('onCitus' in kind)) return resources.use(await startPostgres()).url();
  const name = `notes_bench_${process.pid}_${n}`;
  const database = resources.use(
    await createOnCitus(home, name, 'distribution' in kind ? kind.distribution : undefined),
  );
  if ('shards' in kind) await database.run(`ALTER DATABASE ${name} SET citus.shard_count = ${kind.shards}`);
  return database.url;
}

async function deploy(kind: (typeof kinds)[number], n: number): Promise<Deployment> {
  console.error(`Starting ${kind.name}`);
  const address = await addressFor(kind, n);
  const start = async () => resources.use(await startServiceOn({ signal: stop.signal }, address));
  const instances = [await start(), await start()] as const;
  await fill(instances[0].url, drafts);
  return { name: kind.name, instances };
}

/** Both instances at once, with 32 connections each. */
async function load({ instances }: Deployment, name: string): Promise<LoadResult> {
  const results = await Promise.all(
    instances.map(({ url }) => generator.run({ url, tape: join(folder.path, name), connections: 32, seconds })),
  );
  const [one, other] = results as [LoadResult, LoadResult];
  return {
    ...one,
    requests: one.requests + other.requests,
    p50: Math.max(one.p50, other.p50),
    p99: Math.max(one.p99, other.p99),
    refused: one.refused + other.refused + one.socketErrors + other.socketErrors,
  };
}

interface Beside {
  /** Of updates that come one each second, in ms. */
  readonly paced: readonly number[];
  readonly lists: number;
  readonly stale: number;
}

/**
 * One update each second, then by eight writers as fast as they go, each looked for in a list of the other instance.
 */
async function measureBeside({ instances }: Deployment): Promise<Beside> {
  let [lists, stale] = [0, 0];
  const write = async (turn: number, id: number, title: string) => {
    const started = performance.now();
    const answer = await send(instances[turn % 2]?.url ?? '', updateTitle(id, title));
    const took = performance.now() - started;
    const { category, group } = (await answer.json()) as Listed;
    const path = `/api/notes?category=${category}&group=${group}`;
    const listed = (await (await send(instances[(turn + 1) % 2]?.url ?? '', get(path))).json()) as Listed[];
    lists++;
    if (listed.find((note) => note.id === id)?.title !== title) stale++;
    return took;
  };
  const paced: number[] = [];
  for (let n = 0; n < 8; n++) {
    paced.push(await write(n, 1, `paced ${n}`));
    await Bun.sleep(1_000);
  }
  const end = performance.now() + 3_000 * seconds;
  const writer = async (id: number) => {
    for (let n = 0; performance.now() < end; n++) await write(n + id, id, `${id} ${n}`);
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => writer(n + 1)));
  return { paced, lists, stale };
}

interface Listed {
  readonly id: number;
  readonly title: string;
  readonly category: string;
  readonly group: string;
}

const drafts = makeDrafts(notes);
const { reads, writes } = createScenarios(drafts);
const loads = [...reads.filter(({ name }) => name === 'W1'), ...writes.filter(({ name }) => name !== 'W6')];
for (const { name, calls } of loads) await writeTape(join(folder.path, name), calls);

const deployments: Deployment[] = [];
for (const [n, kind] of kinds.entries()) deployments.push(await deploy(kind, n));

const measured = new Map(deployments.map(({ name }) => [name, [] as string[]]));
let refused = 0;
for (const deployment of deployments) {
  console.error(`Measuring one update each second: ${deployment.name}`);
  const { paced, lists, stale } = await measureBeside(deployment);
  measured
    .get(deployment.name)
    ?.push(`${decimal(median(paced), 1)} ms, at most ${decimal(Math.max(...paced), 1)}`, `${stale} of ${lists}`);
}

for (const { name } of loads) {
  console.error(`Measuring ${name}`);
  for (const { subject, results } of await inTurns(deployments, rounds, (deployment) => load(deployment, name))) {
    refused += results.reduce((sum, result) => sum + result.refused, 0);
    const rates = results.map(({ requests, seconds }) => requests / seconds);
    const p99 = median(results.map((result) => result.p99));
    measured.get(subject.name)?.push(`${rate(median(rates))}/s, p99 ${decimal(p99, 1)} ms`);
  }
}
const head = ['Table', 'one update a second', 'stale lists', 'W1: list of 20', 'W3: create', 'W4: update'];
const rows: Row[] = [head, ...[...measured].map(([name, cells]) => [name, ...cells])];
const [version] = await runOn<{ citus: string; postgres: string }>(
  home,
  `SELECT substring(citus_version() FROM 'Citus [^ ]+') AS citus, current_setting('server_version') AS postgres`,
);
console.log(table(rows));
await replaceSection(
  join(import.meta.dir, 'POSTGRES.md'),
  'citus',
  `## Beside Citus

- Date: ${new Date().toISOString()}
- Machine: ${describeMachine()}, coordinator, two workers, plain server, services and generators together on it
- Versions: ${version?.citus} on PostgreSQL ${version?.postgres}, plain PostgreSQL 18.4, ${generator.version}
- Command: \`TEST_CITUS_URL=… bun bench/citus.ts --seconds ${seconds}\`, which replaces this section
- Answers other than 200, and broken connections: ${refused}

Shared and busy cores: compare the rows, not the days. Two instances with 32 connections each on ${notes.toLocaleString('en')} notes, in ${rounds} turns; rates are medians, latencies those of the
slower instance. *Stale* are lists of one instance that did not show what the other one had answered before.

${table(rows)}
`,
);
await resources.disposeAsync();
process.exit(refused > 0 ? 1 : 0); // connections that are kept alive would hold it
