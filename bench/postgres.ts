/**
 * The service on PostgreSQL: `bun bench/postgres.ts [--seconds 2] [--rounds 5] [--before <commit>]`, on a server of its
 * own, beside PostgREST where that is installed, and on the Citus cluster at `TEST_CITUS_URL`. Exits with 1 if a
 * response was wrong or missing.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createCitusDatabase, runStatements } from '../test/support/postgres/databases.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { createDiskFolder, describeMachine, findFileSystemType, readResidentMegabytesOrNaN } from './tools/machine.ts';
import { formatLoadTable, measureProgramsInTurns } from './tools/measure.ts';
import { createDrafts } from './tools/notes.ts';
import { readOptionsOrExit } from './tools/options.ts';
import { startPostgrestIfInstalled } from './tools/postgrest.ts';
import {
  checkOutAndInstall,
  currentVersion,
  describeWorkingTree,
  type Program,
  type ServiceOptions,
  startServiceInstances,
} from './tools/programs.ts';
import { createLoads, storeDraftsInEmptyProgram } from './tools/requests.ts';
import { formatFigureTable, replaceOrAppendSection } from './tools/table.ts';
import { readWrkVersion } from './tools/wrk.ts';

const options = readOptionsOrExit();
const folder = createDiskFolder();
process.env['TMPDIR'] = folder; // of the server's data
chmodSync(folder, 0o755); // root runs the server as another user
const drafts = createDrafts(10_000);
await using server = await startPostgres({ settings: { max_connections: 300 } });
const notes: string[] = [];
let databases = 0;
const programs = await startComparedPrograms();
for (const program of programs) {
  console.error(`Storing ${drafts.length} notes in ${program.name}`);
  await storeDraftsInEmptyProgram(program, drafts);
}
await runStatements(server.url(), 'CHECKPOINT');

const { W1, W2, W2updates, W3, W4, W4hot, W5, W6 } = createLoads(drafts);
const measured = await measureProgramsInTurns(programs, [W1, W2, W2updates, W6, W3, W4, W4hot, W5], {
  ...options,
  folder,
  drafts,
});
const memory = programs.map(({ name, pids }) => {
  const own = pids.filter((pid) => pid !== server.pid).map(readResidentMegabytesOrNaN);
  return { name: `resident memory of an instance of “${name}”, at most`, value: Math.max(...own), unit: 'MB' };
});
const text = `- ${new Date().toISOString().slice(0, 10)}, ${await describeWorkingTree()}, \`bun bench/postgres.ts ${process.argv.slice(2).join(' ')}\`
- ${describeMachine()}, ${findFileSystemType(server.folder)}, ${readWrkVersion()}, PostgreSQL ${await findSetting('server_version')}
- \`fsync = ${await findSetting('fsync')}\`, \`synchronous_commit = ${await findSetting('synchronous_commit')}\`
- Medians of ${options.rounds} rounds of ${options.seconds} s; processor time includes that of the database
${[...notes, ...measured.notes].map((sentence) => `- Not measured: ${sentence}\n`).join('')}${measured.failures.map((failure) => `- **Failed:** ${failure}\n`).join('')}
${formatLoadTable(measured.series)}

${formatFigureTable(memory)}`;
console.log(text);
if (options.rounds >= 3) await replaceOrAppendSection('POSTGRES.md', 'Loads', text);
for (const failure of measured.failures) console.error(`Failed: ${failure}`);
process.exit(measured.failures.length > 0 ? 1 : 0);

async function startComparedPrograms(): Promise<Program[]> {
  const { before } = options;
  const started = [
    await startProgramOnEmptyDatabase({ name: 'one instance', ...(before && { comparedWith: 'before' }) }),
    await startProgramOnEmptyDatabase({ name: 'two instances', comparedWith: 'one instance', instances: 2 }),
    await startProgramOnEmptyDatabase({ name: 'four instances', comparedWith: 'one instance', instances: 4 }),
  ];
  if (before)
    started.push(
      await startProgramOnEmptyDatabase({ name: 'before' }, await checkOutAndInstall(before, join(folder, 'before'))),
    );
  const postgrest = await startPostgrestIfInstalled(await createDatabase(), 'one instance');
  if (postgrest === undefined) notes.push('PostgREST is not installed');
  else started.push({ ...postgrest, pids: [...postgrest.pids, server.pid] });
  const citus = process.env['TEST_CITUS_URL'];
  if (citus !== undefined) {
    started.push(await startOnCitus(citus, 'reference', 1));
    for (const shards of [4, 32]) started.push(await startOnCitus(citus, 'id', shards));
  }
  return started;
}

async function createDatabase(): Promise<string> {
  const name = `notes_${++databases}`;
  await runStatements(server.url(), `CREATE DATABASE ${name}`);
  return server.url(name);
}

async function startProgramOnEmptyDatabase(
  described: Omit<ServiceOptions, 'database'>,
  version = currentVersion,
): Promise<Program> {
  const program = await startServiceInstances(version, { ...described, database: await createDatabase() });
  return { ...program, pids: [...program.pids, server.pid] };
}

/** Two instances on a table that Citus distributes. */
async function startOnCitus(home: string, distribution: string, shards: number): Promise<Program> {
  const database = `notes_bench_${process.pid}_${distribution}_${shards}`;
  const { url, run } = await createCitusDatabase(home, database, distribution);
  await run(`ALTER DATABASE ${database} SET citus.shard_count = ${shards}`);
  const name = `two instances, Citus: ${distribution}${distribution === 'id' ? `, ${shards} shards` : ''}`;
  return startServiceInstances(currentVersion, { name, database: url, instances: 2, comparedWith: 'two instances' });
}

async function findSetting(name: string): Promise<string | undefined> {
  const [row] = await runStatements<{ value: string }>(server.url(), `SELECT current_setting('${name}') AS value`);
  return row?.value;
}
