/**
 * The service on SQLite: `bun bench/run.ts [--seconds 2] [--rounds 5]`, beside other programs with `--peers`
 * (`--only pocketbase,elysia` chooses them by their folders), beside an earlier commit with `--before <commit>`, without
 * and with an audit log with `--audit`. Exits with 1 if a response was wrong or missing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createDiskFolder, describeMachine, findFileSystemType, readResidentMegabytesOrNaN } from './tools/machine.ts';
import { formatLoadTable, type Measured, measureProgramsInTurns } from './tools/measure.ts';
import { createDrafts, createStoreWithNotes } from './tools/notes.ts';
import { readOptionsOrExit } from './tools/options.ts';
import { choosePeersOrExit, formatPeerVersions, startPeer } from './tools/peers.ts';
import {
  checkOutAndInstall,
  createSlowSyncEnvIfPossible,
  currentVersion,
  describeWorkingTree,
  type Program,
  startServerAndWaitForUrl,
  startServiceInstances,
} from './tools/programs.ts';
import { createLoadOfListBesideUpdates, createLoads, storeDraftsInEmptyProgram } from './tools/requests.ts';
import { type Figure, formatDecimal, formatFigureTable, getMedian, replaceOrAppendSection } from './tools/table.ts';
import { readWrkVersion } from './tools/wrk.ts';

const slowSyncMs = 3;

const options = readOptionsOrExit();
const folder = createDiskFolder();
const drafts = createDrafts(10_000);
const loads = createLoads(drafts);
const settings = { ...options, folder, drafts };
const notes: string[] = [];
const failures: string[] = [];

if (options.peers) await measureAndWritePeerComparison();
else if (options.audit) await measureAndWriteAudit();
else if (options.before !== undefined) await measureAndWriteCommitComparison(options.before);
else await measureAndWriteService();
for (const failure of failures) console.error(`Failed: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

async function measureAndWriteService(): Promise<void> {
  const starts = await measureStarts();
  const programs = await startAndFillPrograms([
    () => startServiceProgram('now'),
    () => startOnSlowDiskIfPossible('now'),
  ]);
  const idle = measureResidentMemory(programs, 'idle');
  const measured = await measureAllLoads(programs);
  const figures = formatFigureTable([...starts, ...idle, ...measureResidentMemory(programs, 'after all loads')]);
  await printAndWriteSection('The service', `${formatLoadTable(measured.series)}\n\n${figures}`);
  await printAndWriteSection('Stores of 1,000 to 1,000,000 notes', await measureAndFormatSizes());
}

async function measureAndWriteCommitComparison(commit: string): Promise<void> {
  const before = await checkOutAndInstall(commit, join(folder, 'before'));
  notes.push(`- Before: ${before.name}`);
  const programs = await startAndFillPrograms([
    () => startServiceProgram('now', { comparedWith: 'before' }),
    () => startServiceProgram('before', {}, before),
    () => startOnSlowDiskIfPossible('now'),
    () => startOnSlowDiskIfPossible('before', before),
  ]);
  const { series } = await measureAllLoads(programs);
  await printAndWriteSection(
    'Beside an earlier commit',
    `${formatLoadTable(series)}\n\n${formatFigureTable(measureResidentMemory(programs, 'after all loads'))}`,
  );
}

async function measureAndWritePeerComparison(): Promise<void> {
  const { only } = options;
  const peers = choosePeersOrExit(only);
  notes.push(`- Peers: ${await formatPeerVersions(peers)}`);
  const programs = await startAndFillPrograms([
    () => startServiceProgram('now'),
    ...peers.map((peer, n) => () => startPeer(peer, join(folder, `peer-${n}.db`), drafts)),
  ]);
  const { W1, W2, W6, W3, W4, W5 } = loads;
  const { series } = recordFailuresAndNotes(await measureProgramsInTurns(programs, [W1, W2, W6, W3, W4, W5], settings));
  const heading = `Beside other programs${only === undefined ? '' : `: ${only.replaceAll(',', ', ')}`}`;
  await printAndWriteSection(heading, formatLoadTable(series));
}

/** Creates without and with a log of writes. */
async function measureAndWriteAudit(): Promise<void> {
  const env = { AUDIT_LOG: join(folder, 'audit.ndjson') };
  const programs = await startAndFillPrograms([
    () => startServiceProgram('without'),
    () => startServiceProgram('with an audit log', { comparedWith: 'without' }, currentVersion, env),
  ]);
  const { series } = recordFailuresAndNotes(await measureProgramsInTurns(programs, [loads.W3, loads.W3many], settings));
  await printAndWriteSection('With an audit log', formatLoadTable(series));
}

function startServiceProgram(
  name: string,
  more: Partial<Program> = {},
  version = currentVersion,
  env = {},
): Promise<Program> {
  return startServiceInstances(version, { name, database: `sqlite:${join(folder, `${name}.db`)}`, env, ...more });
}

/** A program whose disk is slow; undefined where that cannot be made. */
async function startOnSlowDiskIfPossible(name: string, version = currentVersion): Promise<Program | undefined> {
  const env = await createSlowSyncEnvIfPossible(slowSyncMs, folder);
  if (env !== undefined) {
    const described = { comparedWith: name, syncMs: slowSyncMs };
    return startServiceProgram(`${name}, syncs + ${slowSyncMs} ms`, described, version, env);
  }
  notes.push('- Slow disks are not measured: they need Linux and cc');
  return undefined;
}

/** Starts and fills the programs one after the other; says which peers could not be. */
async function startAndFillPrograms(starts: readonly (() => Promise<Program | undefined>)[]): Promise<Program[]> {
  const programs: Program[] = [];
  for (const start of starts) {
    try {
      const program = await start();
      if (program === undefined) continue;
      if (!program.hasDrafts) {
        console.error(`Storing ${drafts.length} notes in ${program.name}`);
        await storeDraftsInEmptyProgram(program, drafts);
      }
      programs.push(program);
    } catch (error) {
      if (!options.peers) throw error;
      notes.push(`- Not measured: ${error instanceof Error ? error.message : error}`);
    }
  }
  return programs;
}

/** All loads; slow disks only where they matter. */
async function measureAllLoads(programs: readonly Program[]): Promise<Measured> {
  const { W1, W2, W2updates, W6, W1creates, W3many, W3, W4, W5 } = loads;
  const fast = programs.filter(({ syncMs }) => syncMs === undefined);
  const parts = [
    await measureProgramsInTurns(fast, [W1, W2, W2updates], settings),
    await measureProgramsInTurns(programs, [W6, W1creates, W3many, W3, W4, W5], settings),
  ];
  return recordFailuresAndNotes({
    series: parts.flatMap(({ series }) => series),
    failures: parts.flatMap((part) => part.failures),
    notes: parts.flatMap((part) => part.notes),
  });
}

function recordFailuresAndNotes(measured: Measured): Measured {
  failures.push(...measured.failures);
  notes.push(...measured.notes.map((note) => `- Not measured: ${note}`));
  return measured;
}

/** The same list in stores of different sizes. */
async function measureAndFormatSizes(): Promise<string> {
  const sizes = [1_000, 10_000, 100_000, 1_000_000];
  const programs: Program[] = [];
  for (const size of sizes) {
    const name = `${formatDecimal(size)} notes`;
    console.error(`Storing ${name}`);
    await createStoreWithNotes(join(folder, `${name}.db`), size, (index) => {
      const draft = drafts[index < drafts.length ? index : 1_000 + (index % (drafts.length - 1_000))];
      if (draft === undefined) throw new Error('There are too few drafts');
      return draft;
    });
    programs.push(
      await startServiceProgram(name, size === 10_000 ? {} : { comparedWith: `${formatDecimal(10_000)} notes` }),
    );
  }
  const { series } = recordFailuresAndNotes(
    await measureProgramsInTurns(programs, [loads.W1, createLoadOfListBesideUpdates()], settings),
  );
  return `${formatLoadTable(series)}\n\n${formatFigureTable(measureResidentMemory(programs, 'after both loads'))}`;
}

function measureResidentMemory(programs: readonly Program[], when: string): Figure[] {
  return programs.map(({ name, pids }) => {
    const value = pids.reduce((sum, pid) => sum + readResidentMegabytesOrNaN(pid), 0);
    return { name: `resident memory of “${name}”, ${when}`, value, unit: 'MB' };
  });
}

/** From the start of the process to its first response, without notes; of the executable, too, if it is built. */
async function measureStarts(): Promise<Figure[]> {
  const commands = {
    'source tree': [process.execPath, 'src/main.ts'],
    executable: [join(currentVersion.root, 'dist', 'notes')],
  };
  const figures: Figure[] = [];
  for (const [name, command] of Object.entries(commands)) {
    if (!existsSync(join(currentVersion.root, command.at(-1) ?? '')) && !existsSync(command.at(-1) ?? '')) continue;
    const times: number[] = [];
    while (times.length < 9) {
      const database = `sqlite:${join(folder, `${name}-${times.length}.db`)}`;
      const began = performance.now();
      const env = { PORT: '0', DATABASE_URL: database };
      const { url, child } = await startServerAndWaitForUrl([...command, 'serve'], {
        folder: currentVersion.root,
        env,
      });
      await (await fetch(`${url}/api/notes`)).text();
      times.push(performance.now() - began);
      child.kill();
      await child.exited;
    }
    figures.push({ name: `cold start, ${name}`, value: getMedian(times), unit: 'ms' });
  }
  return figures;
}

/** Prints the section, and keeps it in RESULTS.md unless the run was a quick look. */
async function printAndWriteSection(heading: string, tables: string): Promise<void> {
  const flags = process.argv.slice(2).join(' ');
  const text = `- ${new Date().toISOString().slice(0, 10)}, ${await describeWorkingTree()}, \`bun bench/run.ts ${flags}\`
- ${describeMachine()}, ${findFileSystemType(folder)}, ${readWrkVersion()}
- Medians of ${options.rounds} rounds of ${options.seconds} s
${[...notes, ...failures.map((failure) => `- **Failed:** ${failure}`)].join('\n')}

${tables}`;
  console.log(`## ${heading}\n\n${text}\n`);
  if (options.rounds >= 3) await replaceOrAppendSection('RESULTS.md', heading, text);
}
