/**
 * The service on SQLite: `bun bench/run.ts [--seconds 2] [--rounds 5]`, beside other programs with `--peers`, beside an
 * earlier commit with `--before <commit>`, without and with an audit log with `--audit`. Exits with 1 when an answer was wrong or missing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createDiskFolder, describeMachine, fileSystemOf, residentMegabytes } from './tools/machine.ts';
import { loadTable, type Measured, measure } from './tools/measure.ts';
import { createStore, makeDrafts } from './tools/notes.ts';
import { readOptions } from './tools/options.ts';
import { describePeers, peers, startPeer } from './tools/peers.ts';
import { checkOut, describeNow, now, type Program, slowSyncs, startServer, startService } from './tools/programs.ts';
import { fill, listBesideOwnUpdates, makeLoads } from './tools/requests.ts';
import { decimal, type Figure, figureTable, median, writeSection } from './tools/table.ts';
import { wrkVersion } from './tools/wrk.ts';

const slowSyncMs = 3;

const options = readOptions();
const folder = createDiskFolder();
const drafts = makeDrafts(10_000);
const loads = makeLoads(drafts);
const settings = { ...options, folder, drafts };
const notes: string[] = [];
const failures: string[] = [];

if (options.peers) await measurePeers();
else if (options.audit) await measureAudit();
else if (options.before !== undefined) await measureBefore(options.before);
else await measureAlone();
for (const failure of failures) console.error(`Failed: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

async function measureAlone(): Promise<void> {
  const starts = await measureStarts();
  const programs = await startFilled([() => service('now'), () => slow('now')]);
  const idle = memoryOf(programs, 'idle');
  const measured = await measureAll(programs);
  const figures = figureTable([...starts, ...idle, ...memoryOf(programs, 'after all loads')]);
  await keep('The service', `${loadTable(measured.series)}\n\n${figures}`);
  await keep('Stores of 1,000 to 1,000,000 notes', await measureSizes());
}

async function measureBefore(commit: string): Promise<void> {
  const before = await checkOut(commit, join(folder, 'before'));
  notes.push(`- Before: ${before.name}`);
  const programs = await startFilled([
    () => service('now', { comparedWith: 'before' }),
    () => service('before', {}, before),
    () => slow('now'),
    () => slow('before', before),
  ]);
  const { series } = await measureAll(programs);
  await keep(
    'Beside an earlier commit',
    `${loadTable(series)}\n\n${figureTable(memoryOf(programs, 'after all loads'))}`,
  );
}

async function measurePeers(): Promise<void> {
  notes.push(`- Peers: ${await describePeers()}`);
  const programs = await startFilled([
    () => service('now'),
    ...peers.map((peer, n) => () => startPeer(peer, join(folder, `peer-${n}.db`))),
  ]);
  const { W1, W2, W6, W3, W4, W5 } = loads;
  const { series } = take(await measure(programs, [W1, W2, W6, W3, W4, W5], settings));
  await keep('Beside other programs', loadTable(series));
}

/** Creates without and with a log of writes. */
async function measureAudit(): Promise<void> {
  const env = { AUDIT_LOG: join(folder, 'audit.ndjson') };
  const programs = await startFilled([
    () => service('without'),
    () => service('with an audit log', { comparedWith: 'without' }, now, env),
  ]);
  const { series } = take(await measure(programs, [loads.W3, loads.W3many], settings));
  await keep('With an audit log', loadTable(series));
}

function service(name: string, more: Partial<Program> = {}, version = now, env = {}): Promise<Program> {
  return startService(version, { name, database: `sqlite:${join(folder, `${name}.db`)}`, env, ...more });
}

/** A program whose disk is slow; undefined where that cannot be made. */
async function slow(name: string, version = now): Promise<Program | undefined> {
  const env = await slowSyncs(slowSyncMs, folder);
  if (env !== undefined) {
    const described = { comparedWith: name, syncMs: slowSyncMs };
    return service(`${name}, syncs + ${slowSyncMs} ms`, described, version, env);
  }
  notes.push('- Slow disks are not measured: they need Linux and cc');
  return undefined;
}

/** Starts and fills the programs one after the other; says which peers could not be. */
async function startFilled(starts: readonly (() => Promise<Program | undefined>)[]): Promise<Program[]> {
  const programs: Program[] = [];
  for (const start of starts) {
    try {
      const program = await start();
      if (program === undefined) continue;
      console.error(`Storing ${drafts.length} notes in ${program.name}`);
      await fill(program, drafts);
      programs.push(program);
    } catch (error) {
      if (!options.peers) throw error;
      notes.push(`- Not measured: ${error instanceof Error ? error.message : error}`);
    }
  }
  return programs;
}

/** All loads; slow disks only where they matter. */
async function measureAll(programs: readonly Program[]): Promise<Measured> {
  const { W1, W2, W2updates, W6, W1creates, W3many, W3, W4, W5 } = loads;
  const fast = programs.filter(({ syncMs }) => syncMs === undefined);
  const parts = [
    await measure(fast, [W1, W2, W2updates], settings),
    await measure(programs, [W6, W1creates, W3many, W3, W4, W5], settings),
  ];
  return take({
    series: parts.flatMap(({ series }) => series),
    failures: parts.flatMap((part) => part.failures),
    notes: parts.flatMap((part) => part.notes),
  });
}

function take(measured: Measured): Measured {
  failures.push(...measured.failures);
  notes.push(...measured.notes.map((note) => `- Not measured: ${note}`));
  return measured;
}

/** The same list in stores of different sizes. */
async function measureSizes(): Promise<string> {
  const sizes = [1_000, 10_000, 100_000, 1_000_000];
  const programs: Program[] = [];
  for (const size of sizes) {
    const name = `${decimal(size)} notes`;
    console.error(`Storing ${name}`);
    await createStore(join(folder, `${name}.db`), size, (index) => {
      const draft = drafts[index < drafts.length ? index : 1_000 + (index % (drafts.length - 1_000))];
      if (draft === undefined) throw new Error('There are too few drafts');
      return draft;
    });
    programs.push(await service(name, size === 10_000 ? {} : { comparedWith: `${decimal(10_000)} notes` }));
  }
  const { series } = take(await measure(programs, [loads.W1, listBesideOwnUpdates()], settings));
  return `${loadTable(series)}\n\n${figureTable(memoryOf(programs, 'after both loads'))}`;
}

function memoryOf(programs: readonly Program[], when: string): Figure[] {
  return programs.map(({ name, pids }) => {
    const value = pids.reduce((sum, pid) => sum + residentMegabytes(pid), 0);
    return { name: `resident memory of “${name}”, ${when}`, value, unit: 'MB' };
  });
}

/** From the start of the process to its first answer, without notes; of the one file, too, where it is built. */
async function measureStarts(): Promise<Figure[]> {
  const commands = { 'source tree': [process.execPath, 'src/main.ts'], 'one file': [join(now.root, 'dist', 'notes')] };
  const figures: Figure[] = [];
  for (const [name, command] of Object.entries(commands)) {
    if (!existsSync(join(now.root, command.at(-1) ?? '')) && !existsSync(command.at(-1) ?? '')) continue;
    const times: number[] = [];
    while (times.length < 9) {
      const database = `sqlite:${join(folder, `${name}-${times.length}.db`)}`;
      const began = performance.now();
      const env = { PORT: '0', DATABASE_URL: database };
      const { url, child } = await startServer([...command, 'serve'], { folder: now.root, env });
      await (await fetch(`${url}/api/notes`)).text();
      times.push(performance.now() - began);
      child.kill();
      await child.exited;
    }
    figures.push({ name: `cold start, ${name}`, value: median(times), unit: 'ms' });
  }
  return figures;
}

/** Prints the section, and keeps it in RESULTS.md unless the run was a quick look. */
async function keep(heading: string, tables: string): Promise<void> {
  const flags = process.argv.slice(2).join(' ');
  const text = `- ${new Date().toISOString().slice(0, 10)}, ${await describeNow()}, \`bun bench/run.ts ${flags}\`
- ${describeMachine()}, ${fileSystemOf(folder)}, ${wrkVersion()}
- Medians of ${options.rounds} rounds of ${options.seconds} s
${[...notes, ...failures.map((failure) => `- **Failed:** ${failure}`)].join('\n')}

${tables}`;
  console.log(`## ${heading}\n\n${text}\n`);
  if (options.rounds >= 3) await writeSection('RESULTS.md', heading, text);
}
