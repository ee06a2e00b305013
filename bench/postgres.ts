/**
 * The service on PostgreSQL: `bun bench/postgres.ts [--seconds 2] [--rounds 5] [--before <commit>]`, on a server of its
 * own, beside PostgREST where that is installed, and on the Citus cluster at `TEST_CITUS_URL`. Exits with 1 when an
 * answer was wrong or missing.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createOnCitus, runOn } from '../test/support/postgres/databases.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { createDiskFolder, describeMachine, fileSystemOf, residentMegabytes } from './tools/machine.ts';
import { loadTable, measure } from './tools/measure.ts';
import { makeDrafts } from './tools/notes.ts';
import { readOptions } from './tools/options.ts';
import { startPostgrest } from './tools/postgrest.ts';
import { checkOut, describeNow, now, type Program, type ServiceOptions, startService } from './tools/programs.ts';
import { fill, makeLoads } from './tools/requests.ts';
import { figureTable, writeSection } from './tools/table.ts';
import { wrkVersion } from './tools/wrk.ts';

const options = readOptions();
const folder = createDiskFolder();
process.env['TMPDIR'] = folder; // of the server's data
chmodSync(folder, 0o755); // root runs the server as another user
const drafts = makeDrafts(10_000);
await using server = await startPostgres({ settings: { max_connections: 300 } });
const notes: string[] = [];
let databases = 0;
const programs = await startPrograms();
for (const program of programs) {
  console.error(`Storing ${drafts.length} notes in ${program.name}`);
  await fill(program, drafts);
}
await runOn(server.url(), 'CHECKPOINT');

const { W1, W2, W2updates, W3, W4, W4hot, W5 } = makeLoads(drafts);
const measured = await measure(programs, [W1, W2, W2updates, W3, W4, W4hot, W5], { ...options, folder, drafts });
const memory = programs.map(({ name, pids }) => {
  const own = pids.filter((pid) => pid !== server.pid).map(residentMegabytes);
  return { name: `resident memory of an instance of “${name}”, at most`, value: Math.max(...own), unit: 'MB' };
});
const text = `- ${new Date().toISOString().slice(0, 10)}, ${await describeNow()}, \`bun bench/postgres.ts ${process.argv.slice(2).join(' ')}\`
- ${describeMachine()}, ${fileSystemOf(server.folder)}, ${wrkVersion()}, PostgreSQL ${await settingOf('server_version')}
- \`fsync = ${await settingOf('fsync')}\`, \`synchronous_commit = ${await settingOf('synchronous_commit')}\`
- Medians of ${options.rounds} rounds of ${options.seconds} s; processor time includes that of the database
${[...notes, ...measured.notes, ...measured.failures].map((sentence) => `- Not measured: ${sentence}\n`).join('')}
${loadTable(measured.series)}

${figureTable(memory)}`;
console.log(text);
if (options.rounds >= 3) await writeSection('POSTGRES.md', 'Loads', text);
for (const failure of measured.failures) console.error(`Failed: ${failure}`);
process.exit(measured.failures.length > 0 ? 1 : 0);

async function startPrograms(): Promise<Program[]> {
  const { before } = options;
  const started = [
    await start({ name: 'one instance', ...(before && { comparedWith: 'before' }) }),
    await start({ name: 'two instances', comparedWith: 'one instance', instances: 2 }),
  ];
  if (before) started.push(await start({ name: 'before' }, await checkOut(before, join(folder, 'before'))));
  const postgrest = await startPostgrest(await createDatabase(), 'one instance');
  if (postgrest === undefined) notes.push('PostgREST is not installed');
  else started.push({ ...postgrest, pids: [...postgrest.pids, server.pid] });
  const citus = process.env['TEST_CITUS_URL'];
  if (citus !== undefined) started.push(await startOnCitus(citus, 'reference'), await startOnCitus(citus, 'id'));
  return started;
}

async function createDatabase(): Promise<string> {
  const name = `notes_${++databases}`;
  await runOn(server.url(), `CREATE DATABASE ${name}`);
  return server.url(name);
}

async function start(described: Omit<ServiceOptions, 'database'>, version = now): Promise<Program> {
  const program = await startService(version, { ...described, database: await createDatabase() });
  return { ...program, pids: [...program.pids, server.pid] };
}

/** Two instances on a table that Citus distributes. */
async function startOnCitus(home: string, distribution: string): Promise<Program> {
  const { url } = await createOnCitus(home, `notes_bench_${process.pid}_${distribution}`, distribution);
  const name = `two instances, Citus: ${distribution}`;
  return startService(now, { name, database: url, instances: 2, comparedWith: 'two instances' });
}

async function settingOf(name: string): Promise<string | undefined> {
  const [row] = await runOn<{ value: string }>(server.url(), `SELECT current_setting('${name}') AS value`);
  return row?.value;
}
